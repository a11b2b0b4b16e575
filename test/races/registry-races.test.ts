/**
 * Gateways on one PostgreSQL that want the same at the same time, each in a process of its own: one wins, the others
 * are told why they did not, and concurrent readers never miss what is there.
 *
 * `PML_RACES=100000` writes that often in each process.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { brokenRules, type Rows } from "../suites/registry-rules.js";
import { sized } from "../support/sizes.js";
import { type Deed, openTrack, type Racer, type Track } from "./racers.js";

const WRITES = Number(process.env.PML_RACES ?? sized(1_500, 300));
const ROUNDS = sized(500, 100);
const FEWER = sized(200, 60);
/** Rounds that run at once: pools have ten connections. */
const BATCH = 10;
const LANES = 4;
const TIMEOUT = { timeout: 120_000 + WRITES * 60 };

/** What a loser may be told. */
const REFUSALS = /^\w+ (?:done|NAME_TAKEN|CAPABILITY_NOT_FOUND|CAPABILITY_DELETED|CAPABILITY_EXISTS)$/;

let track: Track;
let one: Racer;
let two: Racer;
beforeAll(async () => {
  track = await openTrack("races");
  [one, two] = (await track.racers("ada", "bob")) as [Racer, Racer];
});

const rows: Rows = async (sql, values) => (await track.database.query<object>(sql, values)).rows;
const nothingBroken = async () => expect(await brokenRules(rows, [track.project])).toEqual({});

/** What became of both, without names and FQDNs: `created | known`. */
function shapeOf(answers: readonly (string | undefined)[]): string {
  return answers
    .map((answer) => (answer?.startsWith("+") ? answer.slice(1).replace(/ .*$/s, "") : `${answer}`))
    .join(" | ");
}

/** Runs rounds in batches, both processes at once; answers how often each pair of answers came. */
async function race(
  rounds: number,
  deeds: (round: number) => readonly [Deed, Deed],
  shape: (answers: readonly [string, string], round: number) => string,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (let first = 0; first < rounds; first += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, rounds - first) }, (_, index) => first + index);
    const pairs = batch.map(deeds);
    const [ones, twos] = await Promise.all([
      one.all(pairs.map(([deed]) => deed)),
      two.all(pairs.map(([, deed]) => deed)),
    ]);
    for (const [index, round] of batch.entries()) {
      const key = shape([ones[index] ?? "", twos[index] ?? ""], round);
      counts[key] = (counts[key] ?? 0) + 1;
    }
  }
  return counts;
}

const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Learns one for each round, and answers their FQDNs. */
async function learnt(rounds: number, deed: (round: number) => Deed): Promise<readonly string[]> {
  const fqdns: string[] = [];
  for (let first = 0; first < rounds; first += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, rounds - first) }, (_, index) => deed(first + index));
    for (const answer of await one.all(batch)) fqdns.push(/^\+\w+ (.*)@\d+$/.exec(answer)?.[1] ?? answer);
  }
  return fqdns;
}

const learn = (code: string, name?: string, more: object = {}): Deed => ({
  do: "learn",
  code,
  name,
  ...more,
});
const rename = (fqdn: string | undefined, name: string): Deed => ({ do: "rename", fqdn, name });

describe("[ST-3] two processes on one PostgreSQL", TIMEOUT, () => {
  it("[ID-8] two first runs of one code are one capability", async () => {
    const counts = await race(
      FEWER,
      (round) => [learn(`return "first ${round}"`), learn(`return "first ${round}"`)],
      (answers) => {
        const [first, second] = answers.map((answer) => answer.replace(/^\+\w+ /, ""));
        return `${[...answers].map((answer) => shapeOf([answer])).sort((a, b) => (a < b ? -1 : 1))} ${first === second}`;
      },
    );
    expect(counts).toEqual({ "created,known true": FEWER });
    await nothingBroken();
  });

  it("[ID-3] of two who save under one name one has it, however they spell it", async () => {
    const counts = await race(
      ROUNDS,
      (round) => [
        learn(`return "one ${round}"`, `take:it_${round}`),
        learn(`return "two ${round}"`, `Take:It${round}`, { runs: false }),
      ],
      shapeOf,
    );
    expect(
      Object.keys(counts).filter((key) => !/^created \| NAME_TAKEN$|^NAME_TAKEN \| created$/.test(key)),
    ).toEqual([]);
    expect(total(counts)).toBe(ROUNDS);
    await nothingBroken();
  });

  it("[ID-3] [ID-5] of two renames to one name one wins", async () => {
    const ones = await learnt(BATCH, (index) => learn(`return "a ${index}"`, `want:a${index}`));
    const twos = await learnt(BATCH, (index) => learn(`return "b ${index}"`, `want:b${index}`));
    const counts = await race(
      ROUNDS,
      (round) => [
        rename(ones[round % BATCH], `want:name_${round}`),
        rename(twos[round % BATCH], `Want:name${round}`),
      ],
      (answers) => answers.map((answer) => (answer.startsWith("+") ? "won" : answer)).join(" | "),
    );
    expect(Object.keys(counts).filter((key) => !/^won \| NAME_TAKEN$|^NAME_TAKEN \| won$/.test(key))).toEqual(
      [],
    );
    expect(total(counts)).toBe(ROUNDS);
    await nothingBroken();
  });

  it("[ID-5] two who swap names both keep their own", async () => {
    const [a, b] = await learnt(2, (index) => learn(`return "swap ${index}"`, `swap:n${index}`));
    const counts = await race(50, () => [rename(a, "swap:n1"), rename(b, "swap:n0")], shapeOf);
    expect(counts).toEqual({ "NAME_TAKEN | NAME_TAKEN": 50 });
  });

  it("[ID-3] [ID-5] what is named by one and renamed by another loses none of its names", async () => {
    const code = (round: number) => `return "unnamed ${round}"`;
    const fqdns = await learnt(FEWER, (round) => learn(code(round)));
    const counts = await race(
      FEWER,
      (round) => [learn(code(round), `named:one${round}`), rename(fqdns[round], `named:two${round}`)],
      (answers, round) => {
        const isRenamed = answers[1] === `+named:two${round}`;
        return `${shapeOf([answers[0]])} | ${isRenamed ? "renamed" : answers[1]}`;
      },
    );
    expect(
      Object.keys(counts).filter((key) => !/^(?:named|known) \| (?:renamed|CAPABILITY_NOT_FOUND)$/.test(key)),
    ).toEqual([]);
    await nothingBroken();
  });

  it("[ID-12] a delete and a rename of one end as if they had come one after the other", async () => {
    const fqdns = await learnt(FEWER, (round) => learn(`return "gone ${round}"`, `gone:n${round}`));
    const counts = await race(
      FEWER,
      (round) => [{ do: "delete", fqdn: fqdns[round] }, rename(fqdns[round], `gone:to${round}`)],
      (answers) => answers.map((answer) => (answer.startsWith("+") ? "done" : answer)).join(" | "),
    );
    expect(
      Object.keys(counts).filter(
        (key) => key !== "done | done" && !/^done \| CAPABILITY_(?:NOT_FOUND|DELETED)$/.test(key),
      ),
    ).toEqual([]);
    await nothingBroken();
  });

  it("[ID-12] a delete and an update of one end as if they had come one after the other", async () => {
    const fqdns = await learnt(FEWER, (round) => learn(`return "old ${round}"`, `upd:n${round}`));
    const counts = await race(
      FEWER,
      (round) => [
        { do: "delete", fqdn: fqdns[round] },
        learn(`return "new ${round}"`, `upd:n${round}`, { update: true }),
      ],
      (answers) => `${answers[0].startsWith("+")} | ${shapeOf([answers[1]])}`,
    );
    expect(Object.keys(counts).filter((key) => !/^true \| (?:updated|NAME_TAKEN)$/.test(key))).toEqual([]);
    await nothingBroken();
  });

  it("[ID-8] [ID-12] what is undeleted while its code is saved anew is one of the two", async () => {
    const code = (round: number) => `return "again ${round}"`;
    const fqdns = await learnt(FEWER, (round) => learn(code(round), `again:n${round}`));
    for (let first = 0; first < FEWER; first += BATCH)
      await one.all(fqdns.slice(first, first + BATCH).map((fqdn) => ({ do: "delete", fqdn })));
    const counts = await race(
      FEWER,
      (round) => [{ do: "undelete", fqdn: fqdns[round] }, learn(code(round), `again:other${round}`)],
      (answers) => `${answers[0].startsWith("+") ? "undeleted" : answers[0]} | ${shapeOf([answers[1]])}`,
    );
    expect(
      Object.keys(counts).filter(
        (key) => key !== "undeleted | known" && key !== "CAPABILITY_EXISTS | created",
      ),
    ).toEqual([]);
    await nothingBroken();
  });

  it("[ID-11] updates of one name are versions in a row, and none is lost", async () => {
    const [fqdn = ""] = await learnt(1, () => learn("return 0", "grows:n"));
    const versions = new Set<string>();
    await race(
      ROUNDS / 2,
      (round) => [
        learn(`return "grows one ${round}"`, "grows:n", { update: true }),
        learn(`return "grows two ${round}"`, "grows:n", { update: true, runs: false }),
      ],
      (answers) => {
        for (const answer of answers) versions.add(answer);
        return "";
      },
    );
    const expected = Array.from({ length: ROUNDS }, (_, index) => `+updated ${fqdn}@${index + 2}`);
    expect(versions).toEqual(new Set(expected));
    await nothingBroken();
  });

  it("[ID-3] [ID-5] [ID-6] [ID-12] random writers are told clearly, and readers miss nothing", async () => {
    const steady = await learnt(4, (index) => learn(`return "steady ${index}"`, `steady:n${index}`));
    // From here on each has two names, and is called by one of them.
    await one.all(steady.map((fqdn, index) => rename(fqdn, `steady:m${index}`)));
    const reads = steady.flatMap((fqdn, index): readonly Deed[] =>
      [`steady:n${index}`, `Steady:M_${index}`, fqdn].flatMap((text) => [
        { do: "find", text, expected: fqdn },
        ...(text === fqdn ? [] : [{ do: "findStored", text, expected: fqdn }]),
      ]),
    );
    const [reader] = (await track.racers("cid")) as [Racer];
    const reading = [one, two, reader].map((racer) => racer.readUntilStopped(reads));
    const counts = await Promise.all([
      one.lanes(randomDeeds(WRITES, 1, steady), LANES),
      two.lanes(randomDeeds(WRITES, 2, steady), LANES),
    ]);
    await Promise.all([one, two, reader].map((racer) => racer.stop()));
    const seen = await Promise.all(reading);
    console.log(JSON.stringify({ writers: counts, reads: seen.map(({ reads: times }) => times) }));
    expect(seen.flatMap(({ wrong }) => wrong)).toEqual([]);
    for (const counted of counts) {
      expect(Object.keys(counted).filter((key) => !REFUSALS.test(key))).toEqual([]);
      expect(total(counted)).toBe(WRITES);
    }
    await nothingBroken();
    await sameMemories([one, two, reader]);
  });
});

/** Every process remembers what the store has, as soon as the last change has come through. */
async function sameMemories(racers: readonly Racer[]): Promise<void> {
  const stored = await track.database.query<{ readonly line: string }>(
    `select record.id || '@' || version || ' ' || display_name || ' ' || coalesce((select string_agg(alias, ','
         order by created_at, alias) from capability_aliases where target_fqdn = record.id), '') || ' ' || visibility as line
       from capability_records as record where project = $1 and deleted_at is null`,
    [track.project],
  );
  const lines = stored.rows.map(({ line }) => line).sort((a, b) => (a < b ? -1 : 1));
  await expect
    .poll(
      async () =>
        (await Promise.all(racers.map((racer) => racer.memory()))).every(
          (memory) => JSON.stringify(memory) === JSON.stringify(lines),
        ),
      { timeout: 15_000, interval: 100 },
    )
    .toBe(true);
}

/** The same for the same seed: a race that was lost once can be run again. */
function randomDeeds(count: number, seed: number, steady: readonly string[]): readonly Deed[] {
  let state = seed * 2_654_435_761;
  const below = (most: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
  const pick = <T>(of: readonly T[]): T => of[below(of.length)] as T;
  return Array.from({ length: count }, (_, index): Deed => {
    // Both processes come to the same codes and names at about the same time, and to others later: names of what is
    // deleted are reserved, and in the end no name would be left.
    const code = `return "pool ${Math.floor(index / 25)} ${below(4)}"`;
    const names = ["a", "A", "b", "B_", "c", "d"].map((last) => `pool:n${Math.floor(index / 75)}${last}`);
    const which = below(steady.length);
    const text = pick(names);
    const name = pick(names);
    const deeds: readonly (readonly [number, Deed])[] = [
      [20, learn(code, name, { update: below(2) === 0, runs: below(2) === 0 })],
      [5, learn(code)],
      [20, { do: "renameNamed", text, name }],
      [12, { do: "deleteNamed", text, reserveDays: pick([0, 0, 30]) }],
      [12, { do: "undeleteNamed", text }],
      [6, { do: "forkNamed", text, name }],
      [8, { do: "useNamed", text }],
      [17, rename(steady[which], pick([`steady:n${which}`, `steady:m${which}`, `Steady:N_${which}`]))],
    ];
    return pick(deeds.flatMap(([weight, deed]) => Array<Deed>(weight).fill(deed)));
  });
}
