/**
 * Guests that are started before a run needs them. A guest is used once and then replaced, or returned if the engine
 * can be reused. When nothing has run for a while, waiting guests end; the next run starts them again.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { LIMITS } from "../../base/limits.js";
import { Stay } from "../../base/stay.js";
import { type BrokerConfig, type BrokerDefence, isUsedAgain } from "../protocol/broker-frames.js";
import type { GuestSize } from "./engine-launch.js";
import { type GuestProcess, lineBytesMost, startGuestProcess } from "./guest-process.js";
import { listDefences, planLaunch } from "./launch-plan.js";
import { probeSystem } from "./system-defences.js";

export interface GuestPool {
  /** Passes a ready guest to `use`, at once if there is one. Returns a function that cancels the request. */
  take(size: GuestSize, use: (guest: GuestProcess) => void, fail: (message: string) => void): () => void;
  /** The guest with this number, if it still waits. */
  takeWaiting(id: number): GuestProcess | undefined;
  /** Takes back a guest whose run has ended normally. */
  giveBack(guest: GuestProcess): void;
  /** A guest has reported on its wire that it waits for a run. */
  ready(guest: number): void;
  readonly readyCount: number;
  readonly problem: string | undefined;
  readonly defences: readonly BrokerDefence[];
  /** Whether the kernel limits the memory of guests, so that no monitoring is needed. */
  readonly limitsData: boolean;
  /** Ends every waiting guest. */
  close(): void;
}

interface Wish {
  readonly use: (guest: GuestProcess) => void;
  readonly fail: (message: string) => void;
}

interface OwnWish extends Wish {
  readonly size: GuestSize;
}

/** Consecutive failed starts after which waiting callers get an error. */
const FAILURES_MOST = 3;
const RETRY_MS = 5_000;
const BOOTING_MOST = Math.max(2, Math.floor(availableParallelism() / 2));
/**
 * If other guests wait, a used guest is replaced a little later, because a process that boots would slow down
 * the run and its answer.
 */
const REFILL_MS = 20;

/** `onWaiting` is called with each guest that waits for any run of the usual size. */
export async function createGuestPool(
  config: BrokerConfig,
  onWaiting: (guest: number) => void,
): Promise<GuestPool> {
  const system = await probeSystem();
  const measuresData = system.limitsData && !config.off.includes("data-limit");
  // Only root may raise a priority again, and a run must not keep the low one.
  const isCalm = process.getuid?.() === 0;
  const all = new Map<number, GuestProcess>();
  const ready: GuestProcess[] = [];
  /** Guests in use that will come back; stays empty if the engine does not reuse them. */
  const lent = new Set<GuestProcess>();
  const comesBack = isUsedAgain(config);
  const wishes: Wish[] = [];
  const ownWishes: OwnWish[] = [];
  const stay = new Stay({ firstMs: config.idleMs, mostMs: LIMITS.sandboxIdleMostMs });
  /** The desired number of waiting guests. */
  let wanted = config.poolSize;
  let idle: NodeJS.Timeout | undefined;
  let lastGuest = 0;
  let booting = 0;
  let failures = 0;
  let problem: string | undefined;
  let isClosed = false;
  let retry: NodeJS.Timeout | undefined;
  let later: NodeJS.Timeout | undefined;
  let isMeasuring = false;
  let idleDataKb: number | undefined;

  function start(size: GuestSize, idleKb: number | undefined): GuestProcess {
    lastGuest += 1;
    const guest = startGuestProcess(planLaunch(config, system, size, idleKb), {
      id: lastGuest,
      ...(config.wire === undefined ? {} : { wire: config.wire }),
      lineBytesMost: lineBytesMost(config),
      backlogBytesMost: LIMITS.runBacklogBytes,
      isCalm,
      onGone: () => gone(),
    });
    all.set(guest.id, guest);
    function gone(): void {
      all.delete(guest.id);
      const at = ready.indexOf(guest);
      if (at !== -1) ready.splice(at, 1);
      if (lent.delete(guest) || at !== -1) refill();
    }
    return guest;
  }

  /** Measures the data size of an idle guest, which the limit is added to; no run starts before. */
  async function measure(): Promise<void> {
    isMeasuring = true;
    const guest = start(config, undefined);
    try {
      await guest.ready;
      idleDataKb = dataKb(guest.pid);
      failures = 0;
      problem = undefined;
    } catch (error) {
      failures += 1;
      problem = messageFrom(error);
    }
    isMeasuring = false;
    guest.kill({ kind: "killed" });
    refill();
  }

  function refill(): void {
    if (isClosed) return;
    if (failures >= FAILURES_MOST) {
      giveUp();
    } else if (measuresData && idleDataKb === undefined) {
      if (!isMeasuring) void measure();
    } else {
      for (const wish of ownWishes.splice(0)) startOwn(wish);
      while (booting < BOOTING_MOST && isShort()) boot();
    }
  }

  function refillLater(): void {
    later ??= setTimeout(() => {
      later = undefined;
      refill();
    }, REFILL_MS);
  }

  function isShort(): boolean {
    if (!comesBack) return ready.length + booting < wanted + wishes.length;
    return booting < wishes.length || ready.length + booting + lent.size < wanted;
  }

  function boot(): void {
    booting += 1;
    const guest = start(config, idleDataKb);
    // Otherwise a guest that neither becomes ready nor ends would block its place for ever.
    const timer = setTimeout(() => guest.kill({ kind: "killed" }), LIMITS.sandboxBootMs);
    guest.ready.then(
      () => {
        clearTimeout(timer);
        booting -= 1;
        failures = 0;
        problem = undefined;
        offer(guest);
        refill();
      },
      (error: unknown) => {
        clearTimeout(timer);
        booting -= 1;
        failures += 1;
        problem = messageFrom(error);
        refill();
      },
    );
  }

  function offer(guest: GuestProcess): void {
    const wish = wishes.shift();
    if (wish !== undefined) lend(guest, wish);
    else if (ready.length < wanted) {
      ready.push(guest);
      onWaiting(guest.id);
    } else guest.kill({ kind: "killed" });
  }

  function lend(guest: GuestProcess, wish: Wish): void {
    if (comesBack) lent.add(guest);
    wish.use(guest);
  }

  async function takeBack(guest: GuestProcess): Promise<void> {
    const isReady = await guest.again();
    if (!isReady || isClosed) return;
    lent.delete(guest);
    offer(guest);
    refill();
  }

  /** A run needs a guest. */
  function wake(): void {
    if (wanted === 0) stay.back();
    wanted = config.poolSize;
    clearTimeout(idle);
    idle = setTimeout(rest, stay.ms);
  }

  /** Ends waiting guests to free memory. */
  function rest(): void {
    wanted = 0;
    stay.left();
    for (const guest of ready.splice(0)) guest.kill({ kind: "killed" });
  }

  /** Reports the failure to waiting callers, and tries again later or on the next request. */
  function giveUp(): void {
    for (const wish of [...wishes.splice(0), ...ownWishes.splice(0)])
      wish.fail(problem ?? "it cannot be started");
    retry ??= setTimeout(() => {
      retry = undefined;
      failures = 0;
      refill();
    }, RETRY_MS);
  }

  function takeAt(at: number): GuestProcess | undefined {
    wake();
    const [guest] = at === -1 ? [] : ready.splice(at, 1);
    if (guest === undefined) return undefined;
    if (comesBack) lent.add(guest);
    if (ready.length === 0) refill();
    else refillLater();
    return guest;
  }

  function takePooled(wish: Wish): () => void {
    const guest = takeAt(0);
    if (guest !== undefined) {
      wish.use(guest);
      return () => {};
    }
    if (booting === 0 && !isMeasuring) failures = 0;
    wishes.push(wish);
    refill();
    return () => {
      const at = wishes.indexOf(wish);
      if (at !== -1) wishes.splice(at, 1);
    };
  }

  function startOwn({ size, use, fail }: OwnWish): void {
    const guest = start(size, idleDataKb);
    guest.ready.then(
      () => use(guest),
      (error: unknown) => fail(messageFrom(error)),
    );
  }

  function takeOwn(wish: OwnWish): () => void {
    let isWanted = true;
    ownWishes.push({
      size: wish.size,
      use(guest) {
        if (isWanted) wish.use(guest);
        else guest.kill({ kind: "killed" });
      },
      fail: wish.fail,
    });
    refill();
    return () => {
      isWanted = false;
    };
  }

  wake();
  refill();
  return {
    take(size, use, fail) {
      const isUsual = size.memoryMb === config.memoryMb && size.timeMs <= config.timeMs;
      return isUsual ? takePooled({ use, fail }) : takeOwn({ size, use, fail });
    },
    takeWaiting: (id) => takeAt(ready.findIndex((guest) => guest.id === id)),
    giveBack(guest) {
      if (lent.has(guest)) void takeBack(guest);
      else guest.kill({ kind: "killed" });
    },
    ready: (guest) => all.get(guest)?.saidReady(),
    get readyCount() {
      return ready.length;
    },
    get problem() {
      return problem;
    },
    get defences() {
      return listDefences(config, system);
    },
    limitsData: measuresData,
    close() {
      isClosed = true;
      clearTimeout(retry);
      clearTimeout(idle);
      clearTimeout(later);
      for (const guest of all.values()) guest.kill({ kind: "killed" });
    },
  };
}

function dataKb(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const size = /^VmData:\s*(\d+) kB$/m.exec(status)?.[1];
  if (size === undefined) throw new Error("the kernel does not report the data size of a process");
  return Number(size);
}

function messageFrom(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
