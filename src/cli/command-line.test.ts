import { describe, expect, it } from "vitest";
import { helpOf, optionsOf, readLine, type Syntax } from "./command-line.js";
import { COMMANDS, overview } from "./commands.js";

const SYNTAX: Syntax = {
  about: "Sends letters.",
  schema: () => ({
    properties: {
      letters: { type: "array", items: { type: "string" } },
      sender: { type: "string", description: "who sends them" },
      secret: { type: "string" },
      post: { type: "object", properties: { stamp_price: { type: "integer", minimum: 1, maximum: 9 } } },
    },
  }),
  takes: "letters…?",
  flags: { from: ["sender"], price: ["stamp_price", "of each", "CENTS"] },
  without: "others",
  own: { output: ["FILE", "the receipt"], note: ["KEY=VALUE", "can be repeated"] },
  exits: "0 sent, 1 lost.",
  examples: ["pml post a b"],
};

describe("[UX-1] the command line of an action", () => {
  it("has the flags that are named, and its own", () =>
    expect(optionsOf(SYNTAX)).toEqual({
      from: { type: "string", multiple: false },
      price: { type: "string", multiple: false },
      output: { type: "string", multiple: false, short: "o" },
      note: { type: "string", multiple: true },
    }));

  it.each([
    [[], {}, { letters: [] }],
    [["a", "b"], { from: "me", price: "3" }, { letters: ["a", "b"], sender: "me", post: { stamp_price: 3 } }],
  ])("reads %j and %j", (words, values, input) =>
    expect(readLine("post", SYNTAX, words, values).input).toEqual(input),
  );

  it("names the flag whose value is out of range", () =>
    expect(() => readLine("post", SYNTAX, [], { price: "10" })).toThrow(
      '--price is "10": expected a number from 1 to 9',
    ));

  it("takes what is no field from its own, and says what it is for", () => {
    const syntax: Syntax = { ...SYNTAX, takes: "file", of: "letter", own: { file: ["FILE", "the letter"] } };
    expect(readLine("post", syntax, ["a.txt"], {})).toEqual({ input: {}, given: { file: "a.txt" } });
    expect(() => readLine("post", syntax, [], {})).toThrow("The letter is missing: expected FILE");
    expect(helpOf("post", syntax)).toContain("\n  FILE                 the letter\n");
  });

  it("shows them in its help", () =>
    expect(helpOf("post", SYNTAX)).toMatchInlineSnapshot(`
      "Usage: pml post [LETTER…] [OPTIONS]

      Sends letters.

        --from FROM          who sends them
        --price CENTS        of each
        -o, --output FILE    the receipt
        --note KEY=VALUE     can be repeated
        --config FILE        config file (default: ./pml.json if trusted, else the user's)
        --data-dir DIR       data directory (default: one for each config file)
        --scope ORG/PROJECT[/USER]
                             scope of names (default: that of the config file, else local/default/<you>)
        --json               the whole answer, for scripts

      Exit codes: 0 sent, 1 lost.

      Examples:
        pml post a b
      "
    `));
});

it("[FH-5] the overview has every command once", () => {
  const listed = [...overview().matchAll(/^ {2}([a-z]+) +[A-Z]/gm)].map(([, name]) => name);
  expect(listed).toHaveLength(Object.keys(COMMANDS).length);
  expect(new Set(listed)).toEqual(new Set(Object.keys(COMMANDS)));
});
