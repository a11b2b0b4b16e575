import { describe, expect, it } from "vitest";
import { NOBODY, subject, suggestNames } from "../../test/support/naming.js";

function suggested(intent: string, code: string) {
  const [suggestion] = suggestNames([subject(intent, code)], NOBODY);
  if (suggestion === undefined) throw new Error("no suggestion");
  return suggestion;
}

const action = (intent: string, code: string) => suggested(intent, code).name.split(":")[1] ?? "";
const verb = (intent: string, code: string) => action(intent, code).split("_")[0];
const objects = (intent: string, code: string) => action(intent, code).split("_").slice(1);

const SHELVES = `const { shelves } = await mcp.pantry.list_shelves({ room: args.room });
return shelves.filter((shelf) => shelf.jars < 3);`;
const CHOIR = `const room = await mcp.matrix.create_room({ name: args.choir });
for (const singer of args.singers) await mcp.matrix.invite_to_room({ room: room.id, user: singer });
const note = await mcp.matrix.send_message({ room: room.id, text: args.welcome });
await mcp.matrix.pin_message({ room: room.id, event: note.id });
return room.id;`;

describe("a verb of the class of what the code does", () => {
  it.each([
    [
      "a change is wanted, and nothing changes",
      "what jars do we have to restock on the shelves?",
      SHELVES,
      "find",
    ],
    ["a table is booked by telling somebody", "Reserve the notice board of the camp", TELL, "post"],
    ["one thing becomes another", "turn each leak into a work order", LEAKS, "create"],
    ["the intent says less than the tool", "put the readings into the ledger", LEDGER, "import"],
  ])("[CU-2] %s", (_, intent, code, expected) => {
    expect(verb(intent, code)).toBe(expected);
  });

  it("[CU-2] is what a thing was made for, not what was done to finish it", () => {
    expect(verb("a room for the choir, with everybody in it and the rules pinned", CHOIR)).toBe("create");
  });

  it.each([
    ["a trace", "start_trace", "stop_trace"],
    ["a lock", "acquire_lock", "release_lock"],
    ["a machine", "wake", "shutdown"],
  ])("[CU-2] is none of what is around it: %s", (_, open, close) => {
    const code = `await mcp.scope.${open}({});
const plate = await mcp.scope.read_plate({ plate: args.plate });
await mcp.scope.${close}({});
return plate;`;
    expect(verb("plate 12, you know how", code)).toBe("read");
  });

  it("[CU-2] is to estimate where the tool only tries", () => {
    const code = `const plan = await mcp.cranes.run_lift({ load: args.load, dry_run: true });\nreturn plan.minutes * 2;`;
    expect(verb("the lift of Monday", code)).not.toBe("run");
  });

  it.each([
    ["Is there a leak in the cellar?", "check"],
    ["Which cellars leak?", "find"],
    ["When does the permit of the cellar expire?", "check"],
  ])("[CU-2] is what a question asks: %s", (intent, expected) => {
    const code = `const { cellars } = await mcp.damp.list_cellars({});
return cellars.filter((cellar) => cellar.leak);`;
    expect(verb(intent, code)).toBe(expected);
  });

  it.each([
    [
      "figures",
      "const rows = [];\nlet left = args.sum;\nfor (let n = 0; n < args.n; n++) { left -= left * args.rate; rows.push({ n, left }); }\nreturn { rows, left };",
      "compute",
    ],
    [
      "chance",
      "const bytes = new Uint8Array(9);\ncrypto.getRandomValues(bytes);\nreturn [...bytes].join('-');",
      "generate",
    ],
    ["all that fits a pattern", "return [...args.text.matchAll(/@(\\w+)/g)].map((m) => m[1]);", "extract"],
    [
      "an order",
      "const order = [];\nwhile (args.jobs.length > 0) order.push(args.jobs.pop());\nreturn order;",
      "sort",
    ],
  ])("[CU-2] is what comes out of code without tools: %s", (_, code, expected) => {
    expect(verb("as discussed with Ana", code)).toBe(expected);
  });
});

const TELL = `const post = await mcp.bulletin.post_notice({ board: "camp", text: args.text });\nreturn post.id;`;
const LEAKS = `const { leaks } = await mcp.damp.list_leaks({});
for (const leak of leaks) await mcp.caretaker.create_work_order({ title: leak.place });
return leaks.length;`;
const LEDGER = `await mcp.ledger.import_readings({ rows: args.readings });\nreturn args.readings.length;`;

describe("the thing that the tool is for", () => {
  it("[CU-2] stands in the name where the intent says it in pictures", () => {
    const code = `const chores = await mcp.household.get_chores({ day: args.day });\nreturn chores.map((one) => one.title);`;
    expect(objects("what keeps us busy between breakfast and supper", code)).toContain("chores");
  });

  it("[CU-2] stands there once, by whatever name", () => {
    const code = `const { issues } = await mcp.tracker.search_issues({ q: "blocked" });\nreturn issues;`;
    expect(objects("blocked tickets", code)).toEqual(["blocked", "tickets"]);
  });

  it("[CU-2] is no verb, no adverb, and no French", () => {
    const code = `const { hives } = await mcp.apiary.list_hives({});\nreturn hives;`;
    const words = [
      ...objects("the neighbour remembers what was left behind, together with the hives", code),
      ...objects("Quelles ruches sont restées pareilles zinzinuler ?", code),
    ];
    expect(words).not.toEqual(expect.arrayContaining(["remembers"]));
    expect(words.filter((word) => /^(?:behind|together|pareilles|zinzinuler)$/.test(word))).toEqual([]);
  });

  it("[CU-2] of near-duplicates is told apart by the country, not by two letters", () => {
    const code = (
      country: string,
    ) => `const { permits } = await mcp.harbour.list_permits({ filter: "flag:${country}", first: 50 });
return permits.map((permit) => permit.ship).join(";");`;
    const names = suggestNames(
      [
        { ...subject("permits of ships from Italy", code("IT")), id: "a" },
        { ...subject("the same for the others", code("DE")), id: "b" },
      ],
      NOBODY,
    ).map(({ name }) => name);
    expect(names[0]).toMatch(/_italy$/);
    expect(names[1]).toMatch(/_germany$/);
  });
});

describe("a sentence about it", () => {
  it.each([
    ["Quelles ruches sont vides ?", "Finds the empty hives in Apiary."],
    ["the bees again", "Lists the bees and hives in Apiary."],
  ])("[CU-1] is one that a person would write: %s", (intent, expected) => {
    const code = `const { hives } = await mcp.apiary.list_hives({});\nreturn hives;`;
    expect(suggested(intent, code).description).toBe(expected);
  });

  it.each([
    ["filesystem", "read_file", "in the file system"],
    ["fetch", "fetch_page", "on the web"],
    ["playwright", "browser_navigate", "in a browser"],
    ["github", "get_gist", "in GitHub"],
  ])("[CU-1] says where: %s", (server, tool, place) => {
    const { description } = suggested(
      "Lis les notes",
      `return await mcp.${server}.${tool}({ id: args.id });`,
    );
    expect(description.endsWith(`${place}.`)).toBe(true);
  });

  it("[CU-1] names several servers", () => {
    const code = `const { hives } = await mcp.apiary.list_hives({});
for (const hive of hives) await mcp.matrix.send_message({ text: hive.name });
return hives.length;`;
    expect(suggested("Préviens les apiculteurs", code).description).toMatch(/ with Apiary and Matrix\.$/);
  });
});
