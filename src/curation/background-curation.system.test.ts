/** Curation that starts by itself, on a real store, with gateways that share it. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newScope } from "../../test/suites/capability-samples.js";
import {
  type CuratedStore,
  countingModel,
  curatingGateway,
  learnReading,
  openCuratedStore,
} from "../../test/support/curated-store.js";
import type { Log } from "../base/log.js";
import { silentLog } from "../base/log.js";
import type { Scope } from "../registry/scope.js";
import { BackgroundCuration, type BackgroundCurationOptions } from "./background-curation.js";
import type { NameModel } from "./name-model.js";

let store: CuratedStore;
let scope: Scope;
const running: BackgroundCuration[] = [];

beforeEach(async () => {
  store = await openCuratedStore();
  scope = newScope();
});

afterEach(async () => {
  for (const background of running.splice(0)) await background.stop();
});

/** A gateway that curates after three; `did` has what it logged. */
async function gateway(more: Partial<BackgroundCurationOptions> = {}) {
  const { registry, curator } = await curatingGateway(store);
  const did: string[] = [];
  const log: Log = {
    ...silentLog,
    info: (event, fields) => void did.push(`${event} ${fields?.suggested} ${fields?.applied ?? "-"}`),
  };
  const looked: string[] = [];
  const background = new BackgroundCuration({
    curator: {
      candidates: (filter, of) => {
        looked.push(of.project);
        return curator.candidates(filter, of);
      },
      kept: (some, of) => curator.kept(some, of),
      prepare: (some, curating) => curator.prepare(some, curating),
      autoFor: (some, curating) => curator.autoFor(some, curating),
    },
    directory: registry.directory,
    store: store.suggestions,
    after: 3,
    mode: "suggest",
    scope,
    checkMs: 1,
    leaseMs: 60_000,
    log,
    ...more,
  });
  running.push(background);
  const learn = (what: string, as = scope) => learnReading(registry, as, what);
  return { registry, curator, background, learn, did, looked };
}

type Gateway = Awaited<ReturnType<typeof gateway>>;

async function keptOf({ registry }: Gateway, of = scope): Promise<number> {
  const fqdns = [...registry.directory.all()]
    .filter(({ org, project }) => org === of.org && project === of.project)
    .map(({ fqdn }) => fqdn);
  return (await store.suggestions.kept(fqdns)).length;
}

/** Waits until it is so; the test's own time-out is the end of patience. */
async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** What was planned by now has been done: those that are served are looked at in turn, and one more is the last. */
async function settled({ background, looked }: Gateway): Promise<void> {
  const last = newScope();
  background.serve(last);
  await until(() => looked.includes(last.project));
  await background.stop();
}

describe("[CU-5] curation by itself", () => {
  it("starts when enough are unnamed, and not before", async () => {
    const one = await gateway();
    one.background.start();
    await one.learn("a");
    await one.learn("b");
    await settled(one);
    expect([one.did, await keptOf(one)]).toEqual([[], 0]);
    const two = await gateway();
    two.background.start();
    await two.learn("c");
    await until(() => two.did.length > 0);
    expect([two.did, await keptOf(two)]).toEqual([["curation.done 3 -"], 3]);
  });

  it("counts what was there when it starts", async () => {
    const one = await gateway();
    for (const what of ["a", "b", "c"]) await one.learn(what);
    one.background.start();
    await until(() => one.did.length > 0);
    expect(await keptOf(one)).toBe(3);
  });

  it("is never started by 0", async () => {
    const one = await gateway({ after: 0 });
    for (const what of ["a", "b", "c"]) await one.learn(what);
    one.background.start();
    one.background.serve(newScope());
    await one.background.stop();
    expect([one.did, one.looked, await keptOf(one)]).toEqual([[], [], 0]);
  });

  it("makes nothing twice, and starts anew for as many that are new", async () => {
    const asked: number[] = [];
    const one = await gateway({ model: countingModel(asked) });
    one.background.start();
    for (const what of ["a", "b", "c"]) await one.learn(what);
    await until(() => one.did.length === 1);
    await one.learn("d");
    await one.background.stop();
    const again = await gateway({ model: countingModel(asked) });
    again.background.start();
    await again.learn("e");
    await settled(again);
    expect([again.did, asked]).toEqual([[], [3]]);
    const last = await gateway({ model: countingModel(asked) });
    last.background.start();
    await last.learn("f");
    await until(() => last.did.length === 1);
    expect(asked).toEqual([3, 3]);
  });

  it("applies what is sure where it is told to, and what was suggested before too", async () => {
    const one = await gateway();
    one.background.start();
    for (const what of ["config", "settings", "profile"]) await one.learn(what);
    await until(() => one.did.length === 1);
    await one.background.stop();
    const auto = await gateway({ mode: "auto" });
    auto.background.start();
    for (const what of ["orders", "users", "teams"]) await auto.learn(what);
    await until(() => auto.did.length === 1);
    expect(auto.did).toEqual(["curation.done 3 6"]);
    expect(await auto.curator.candidates({}, scope)).toEqual([]);
  });

  it("is done by one of two gateways", async () => {
    const asked: number[] = [];
    const model = countingModel(asked);
    const one = await gateway({ model });
    for (const what of ["a", "b", "c", "d"]) await one.learn(what);
    const two = await gateway({ model });
    one.background.start();
    two.background.start();
    await until(() => one.did.length + two.did.length > 0);
    await Promise.all([settled(one), settled(two)]);
    expect([one.did.length + two.did.length, asked]).toEqual([1, [4]]);
  });

  it("is ended by another gateway where one was killed in the middle", async () => {
    let begun = () => {};
    const isAsked = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const never: NameModel = {
      name: "a-model",
      refine: () => {
        begun();
        return new Promise(() => {});
      },
    };
    // It renews no lease any more, as one that was killed.
    const dying = await gateway({
      model: never,
      leaseMs: 40,
      store: {
        claim: (of, lease) => store.suggestions.claim(of, lease),
        finish: (of, owner) => store.suggestions.finish(of, owner),
        isOpen: (of) => store.suggestions.isOpen(of),
        renew: async () => true,
      },
    });
    for (const what of ["a", "b", "c"]) await dying.learn(what);
    dying.background.start();
    await isAsked;
    const asked: number[] = [];
    const other = await gateway({ model: countingModel(asked) });
    other.background.start();
    await until(() => other.did.length === 1);
    expect(asked).toEqual([3]);
    expect(await store.suggestions.isOpen(scope)).toBe(false);
  });

  it("goes on after a restart with what was left, however few", async () => {
    let begun = () => {};
    const isAsked = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const waiting: NameModel = {
      name: "a-model",
      refine: (_briefs, signal) => {
        begun();
        return new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("stopped")));
        });
      },
    };
    const one = await gateway({ model: waiting });
    for (const what of ["a", "b", "c"]) await one.learn(what);
    one.background.start();
    await isAsked;
    await one.background.stop();
    expect(await store.suggestions.isOpen(scope)).toBe(true);
    const asked: number[] = [];
    const again = await gateway({ model: countingModel(asked), after: 100 });
    again.background.start();
    await until(() => again.did.length === 1);
    expect(asked).toEqual([3]);
  });

  it("[ID-14] is for those that it serves, each by themselves", async () => {
    const bob: Scope = { ...scope, user: "bob" };
    const one = await gateway();
    for (const what of ["a", "b"]) await one.learn(what);
    for (const what of ["c", "d", "e"]) await one.learn(what, bob);
    one.background.start();
    await settled(one);
    expect([one.did, await keptOf(one)]).toEqual([[], 0]);
    const two = await gateway();
    two.background.start();
    two.background.serve(bob);
    await until(() => two.did.length === 1);
    expect(await keptOf(two)).toBe(3);
  });

  it("tries again when the store was away", async () => {
    let failures = 2;
    const one = await gateway({
      retryMs: 1,
      store: {
        claim: (of, lease) => {
          failures -= 1;
          if (failures >= 0) return Promise.reject(new Error("away"));
          return store.suggestions.claim(of, lease);
        },
        renew: (of, lease) => store.suggestions.renew(of, lease),
        finish: (of, owner) => store.suggestions.finish(of, owner),
        isOpen: (of) => store.suggestions.isOpen(of),
      },
    });
    for (const what of ["a", "b", "c"]) await one.learn(what);
    one.background.start();
    await until(() => one.did.length === 1);
    expect(await keptOf(one)).toBe(3);
  });
});
