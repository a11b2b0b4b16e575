import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { KeyReader } from "./key-reader.js";

function terminal() {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), { setRawMode: (mode: boolean) => void modes.push(mode) });
  const output = new PassThrough();
  return { input, output, modes, keys: new KeyReader(input, output) };
}

describe("[UX-1] keys", () => {
  it("are read one by one, also those that were typed ahead", async () => {
    const { input, output, keys } = terminal();
    input.write("ab");
    expect([await keys.key("? "), await keys.key("? ")]).toEqual(["a", "b"]);
    const waiting = keys.key("? ");
    input.write("é");
    expect(await waiting).toBe("é");
    expect(String(output.read())).toBe("? a\n? b\n? é\n");
  });

  it.each([
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("%s is leaving", async (_what, key) => {
    const { input, keys } = terminal();
    input.write(key);
    expect(await keys.key("? ")).toBe(undefined);
  });

  it("of arrows are none", async () => {
    const { input, keys } = terminal();
    const waiting = keys.key("? ");
    input.write("\u001b[A");
    await new Promise(setImmediate);
    input.write("s");
    expect(await waiting).toBe("s");
  });

  it("come to an end with the input", async () => {
    const { input, keys } = terminal();
    input.end();
    expect(await keys.key("? ")).toBe(undefined);
  });

  it("make way for lines, and the terminal is left as it was", async () => {
    const { input, keys, modes } = terminal();
    const line = keys.line("Name: ");
    input.write("fs:read\n");
    expect(await line).toBe("fs:read");
    input.write("q");
    expect(await keys.key("? ")).toBe("q");
    keys.close();
    expect(modes).toEqual([true, false, true, false]);
  });
});
