import { describe, expect, it } from "vitest";
import { isRecording, type Recording, recordingsFor } from "../../registry/recording.js";
import { branchesOf, chooseRecordings } from "./choose-recordings.js";
import { withoutSecrets } from "./hide-secrets.js";

function recording(
  args: Recording["args"],
  decisions: readonly string[],
  more: Partial<Recording> = {},
): Recording {
  return { format: 1, structure: "s", args, calls: [], result: null, path: ["n1"], decisions, ...more };
}

describe("[SW-1] recordings", () => {
  it("are chosen so that every branch seen is covered, and few of one way", () => {
    const same = Array.from({ length: 20 }, (_, n) => recording({ n }, ["d1=true"]));
    const rare = [recording({ n: 50 }, ["d1=false"]), recording({ n: 51 }, ["d1=true", "l1=0"])];
    const chosen = chooseRecordings([], [...same, ...rare]);
    const covered = new Set(chosen.flatMap(branchesOf));
    expect([...same, ...rare].flatMap(branchesOf).every((branch) => covered.has(branch))).toBe(true);
    expect(chosen.length).toBeLessThan(8);
  });

  it("stay the same where they are recorded again", () => {
    const kept = [recording({ n: 1 }, ["d1=true"])];
    expect(chooseRecordings(kept, [recording({ n: 1 }, ["d1=true"], { result: 7 })])).toEqual(kept);
  });

  it("have no secrets, and the same placeholder everywhere", () => {
    const secret = "hunter2-hunter2";
    const made = withoutSecrets(
      recording({ password: secret }, [], {
        calls: [{ task: "n1", tool: "s:t", args: { header: `Basic ${secret}` }, result: { echo: secret } }],
        result: [secret],
      }),
    );
    expect(JSON.stringify(made)).not.toContain(secret);
    expect(made.calls[0]?.args).toEqual({ header: "Basic secret-1" });
    expect(made.result).toEqual(["secret-1"]);
  });

  it.each([
    ["of a nested list", { headers: [["x"], ["Authorization", "Bearer zzTOPzz123456"]] }],
    ["of a header", { headers: [{ name: "X-Api-Key", value: "zzTOPzz123456" }] }],
    ["of a command line", { argv: ["--verbose", "--token", "zzTOPzz123456"] }],
    ["in the query of an address", { url: "https://a.example/x?page=2&access_token=zzTOPzz123456#top" }],
    ["in an address", { dsn: "postgres://ada:zzTOPzz123456@db.example/x" }],
    ["in a text", { text: "curl -H 'Authorization: Basic zzTOPzz123456'" }],
    ["in JSON in a text", { body: '{"user":"ada","api_key":"zzTOPzz123456"}' }],
    ["in a line of a file", { env: "USER=ada\nDB_PASSWORD=zzTOPzz123456\n" }],
    ["as a key", { sessions: { "token=zzTOPzz123456": true } }],
  ])("have no secret %s, nor where it stands again", (_, given) => {
    const made = withoutSecrets(
      recording(given, [], {
        calls: [
          { task: "n1", tool: "s:t", args: {}, error: { code: "E", message: "bad zzTOPzz123456" } },
          { task: "n2", tool: "s:t", args: {}, result: { echo: ["zzTOPzz123456"] } },
        ],
      }),
    );
    expect(JSON.stringify(made)).not.toContain("zzTOPzz");
    expect(made.calls[1]?.result).toEqual({ echo: [expect.stringMatching(/^secret-\d/)] });
  });

  it("have no secret that is in the error of the run alone", () => {
    const made = withoutSecrets(
      recording({}, [], { error: { name: "Error", message: "no access with ghp_abcdefghij0123456789" } }),
    );
    expect(made.error?.message).toBe("no access with secret-1");
  });

  it("have no rest of a long secret that a short one stands in", () => {
    const args = { password: "test", token: "sk-test-abcdefghijklmnop" };
    expect(withoutSecrets(recording(args, [])).args).toEqual({ password: "secret-1", token: "secret-2" });
  });

  it("keep words that only stand beside such a name", () => {
    const args = { text: "token: required, page_token=abcdef, password: choose one", n: 1 };
    expect(withoutSecrets(recording(args, [])).args).toEqual(args);
  });

  it.each([
    ["an error of a call that is none", { calls: [{ task: "n1", tool: "s:t", args: {}, error: null }] }],
    ["an answer that is no number", { calls: [{ task: "n1", tool: "s:t", args: {}, answer: "1" }] }],
    ["an answer before the first", { calls: [{ task: "n1", tool: "s:t", args: {}, answer: 0 }] }],
    ["an error without a name", { error: { message: "no" } }],
  ])("are not taken from a file with %s", (_, wrong) => {
    expect(isRecording({ ...recording({}, []), ...wrong })).toBe(false);
    expect(isRecording(recording({}, []))).toBe(true);
  });

  it("[FP-28] of the newest version up to the tested one are used", () => {
    const kept = (version: number) => ({ version, digest: "", recording: recording({}, []) });
    const all = [kept(1), kept(3)];
    expect([1, 2, 3, 4].map((version) => recordingsFor(all, version).map((one) => one.version))).toEqual([
      [1],
      [1],
      [3],
      [3],
    ]);
    expect(recordingsFor([kept(3)], 2)).toEqual([]);
  });
});
