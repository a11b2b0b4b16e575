/**
 * Measures repairs after tools change: how many capabilities are repaired, refused, or repaired wrongly, by kind of
 * change. Each repaired code runs with a tool that records its arguments, which are compared with the arguments that
 * the change requires. Changes of meaning must not be repaired: generated ones, and some written by hand. Reads the
 * tools of the data sets in the folder `PML_EVAL_DIR`; without it, a few tools of this repository.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { MEANINGS as KNOWN_MEANINGS, VALUES } from "./fixtures/drift-meanings.mjs";
import { TOOLS } from "./fixtures/drift-tools.mjs";
import { builds } from "./harness/build.mjs";
import { PML_EVAL_DIR } from "./harness/evaluation.mjs";
import { sized } from "./harness/options.mjs";
import { ms, printTable } from "./harness/table.mjs";
import { benchmark } from "./harness/workbench.mjs";

const OF_A_KIND = sized(60, 2);
const MEANINGS = sized(20, 1);
const DEPENDENTS = sized(1_000, 10);
const FIELDS = 5;

/** Up to `most` changed tools, from tools that can change in this way. */
function pick(tools, change, most) {
  const made = [];
  for (let round = 0; made.length < most && round < 4; round += 1)
    for (const tool of tools) {
      if (made.length === most) break;
      const given = change(tool, round);
      if (given !== undefined) made.push({ tool, ...given });
    }
  return made;
}

function codeOf({ id }, fields) {
  const given = fields.map((key) => `${JSON.stringify(key)}: args[${JSON.stringify(key)}]`);
  return `const answer = await mcp[${JSON.stringify(id)}]({ ${given.join(", ")} });\nreturn answer;`;
}

function verdictOf(judge, { tool, after, renamed, code, fields = fieldsOf(tool) }) {
  const before = {
    name: nameOf(tool),
    ...tool,
    ...(after.wasOutput ? { outputSchema: after.wasOutput } : {}),
  };
  const stored = {
    savedCode: code ?? codeOf(tool, fields),
    toolsUsed: [tool.id],
    dependencies: [],
    parameters: { type: "object", properties: {}, required: fields, additionalProperties: true },
  };
  const [server] = tool.id.split(":");
  const pin = (id, object, first, last, more) => [
    id,
    {
      server,
      name: id.slice(server.length + 1),
      currentTool: object,
      firstSeenAt: new Date(first),
      lastSeenAt: new Date(last),
      ...more,
    },
  ];
  const { wasOutput: _, ...object } = after;
  const pins = new Map(
    renamed === undefined
      ? [pin(tool.id, object, 0, 2)]
      : [pin(tool.id, before, 0, 1, { goneAt: new Date(2) }), pin(renamed, object, 2, 3)],
  );
  return judge(stored, new Map([[tool.id, before]]), pins);
}

async function tryRepair(judge, given) {
  const { tool, renamed, expected, answers, fields = fieldsOf(tool) } = given;
  const { verdict, code } = verdictOf(judge, given);
  if (verdict === "broken") return "refused";
  if (verdict === "unaffected") return "unaffected";
  const args = Object.fromEntries(
    fields.map((key) => [
      key,
      sampleOf(tool.inputSchema.properties[key] ?? given.after.inputSchema.properties[key]),
    ]),
  );
  const calls = [];
  const mcp = new Proxy(
    {},
    {
      get: (_, id) => async (input) => {
        calls.push([id, input]);
        return answers?.now ?? { ok: true };
      },
    },
  );
  const run = new (Object.getPrototypeOf(async () => {}).constructor)("mcp", "args", code);
  const result = await run(mcp, args).catch((error) => ({ error: error.message }));
  const isCalled = same(calls, [[renamed ?? tool.id, JSON.parse(JSON.stringify(expected(args)))]]);
  return isCalled && same(result, answers?.old ?? { ok: true }) ? "repaired" : "wrong";
}

function timeOf(judge, given) {
  const start = performance.now();
  for (let at = 0; at < DEPENDENTS; at += 1) verdictOf(judge, given);
  return performance.now() - start;
}

// The kinds of changes. Each returns the changed tool, and what its calls must be.

const KINDS = {
  "field renamed (spelling)": (tool, round) =>
    renameField(tool, round, (name) =>
      name.includes("_") ? name.replace(/_(\w)/g, (_, sign) => sign.toUpperCase()) : undefined,
    ),
  "field renamed": (tool, round) =>
    renameField(tool, round, (name, { description }) =>
      isOnlyText(tool, description) ? `given_${name}` : undefined,
    ),
  "moved into an object": (tool, round) => {
    const field = fieldAt(tool, round);
    if (field === undefined || "options" in tool.inputSchema.properties) return undefined;
    const { [field]: moved, ...others } = tool.inputSchema.properties;
    const after = withProperties(tool, {
      ...others,
      options: { type: "object", properties: { [field]: moved }, required: [field] },
    });
    return {
      after: withRequired(after, [...requiredOf(tool).filter((key) => key !== field), "options"]),
      expected: ({ [field]: value, ...rest }) => ({ ...rest, options: { [field]: value } }),
    };
  },
  "moved out of an object": (tool, round) => {
    const field = fieldAt(tool, round);
    if (field === undefined || "options" in tool.inputSchema.properties) return undefined;
    const { [field]: moved, ...others } = tool.inputSchema.properties;
    const nested = withProperties(tool, {
      options: { type: "object", properties: { [field]: moved } },
      ...others,
    });
    const given = fieldsOf(tool)
      .filter((key) => key !== field)
      .map((key) => `${key}: args.${key}`);
    const options = `options: { ${field}: args.${field} }`;
    return {
      tool: withRequired(
        nested,
        requiredOf(tool).filter((key) => key !== field),
      ),
      after: tool,
      fields: fieldsOf(tool),
      code: `return await mcp[${JSON.stringify(tool.id)}]({ ${[options, ...given].join(", ")} });`,
      expected: (args) => args,
    };
  },
  "number to text": (tool, round) => {
    const field = fieldAt(
      tool,
      round,
      ({ type, ...rest }) =>
        ["number", "integer"].includes(type) && Object.keys(rest).every((key) => key === "description"),
    );
    if (field === undefined) return undefined;
    return {
      after: withProperty(tool, field, { ...tool.inputSchema.properties[field], type: "string" }),
      expected: (args) => ({ ...args, [field]: String(args[field]) }),
    };
  },
  "value renamed": (tool, round) => {
    const field = fieldAt(
      tool,
      round,
      ({ enum: values }) =>
        Array.isArray(values) &&
        values.length > 1 &&
        typeof values[0] === "string" &&
        /^[a-z]{4,}$/.test(values[0]),
    );
    if (field === undefined) return undefined;
    const [first, ...others] = tool.inputSchema.properties[field].enum;
    const to = first.toUpperCase();
    if (others.some((value) => String(value).toLowerCase().startsWith(first.slice(0, 3)))) return undefined;
    return {
      after: withProperty(tool, field, { ...tool.inputSchema.properties[field], enum: [to, ...others] }),
      expected: (args) => ({ ...args, [field]: to }),
    };
  },
  "new required field": (tool) => ({
    after: withRequired(withProperty(tool, "api_version", { type: "string", default: "2" }), [
      ...requiredOf(tool),
      "api_version",
    ]),
    expected: (args) => ({ ...args, api_version: "2" }),
  }),
  "result field renamed": (tool) => ({
    after: { ...tool, wasOutput: outputOf({ item_id: ITEM }), outputSchema: outputOf({ itemId: ITEM }) },
    expected: (args) => args,
    answers: { now: { itemId: "x", size: 2 }, old: { item_id: "x", size: 2 } },
  }),
  "result field moved": (tool) => ({
    after: {
      ...tool,
      wasOutput: outputOf({ item: ITEM }),
      outputSchema: outputOf({ data: { type: "object", properties: { item: ITEM } } }),
    },
    expected: (args) => args,
    answers: { now: { data: { item: "x" }, size: 2 }, old: { item: "x", size: 2 } },
  }),
  "tool renamed": (tool) =>
    (tool.description ?? "").length < 12
      ? undefined
      : { after: { ...tool }, renamed: `${tool.id}_v2`, expected: (args) => args },
};

const MEANING = {
  unit: (tool, round) =>
    renameField(tool, round, (name, { type }) =>
      ["number", "integer"].includes(type) ? `${name}_cents` : undefined,
    ),
  described: (tool, round) => {
    const field = fieldAt(tool, round);
    return (
      field && {
        after: withProperty(tool, field, {
          ...tool.inputSchema.properties[field],
          description: "in cents, not in euros",
        }),
      }
    );
  },
  verb: (tool, round) => {
    const field = fieldAt(tool, round);
    const renamed = field && renameField(tool, round, (name) => `given_${name}`);
    return (
      renamed && { after: { ...renamed.after, description: `Delete and refund. ${tool.description ?? ""}` } }
    );
  },
  "two candidates": (tool, round) => {
    const field = fieldAt(tool, round, ({ type }) => type === "string");
    if (field === undefined) return undefined;
    const { [field]: _, ...others } = tool.inputSchema.properties;
    const part = { type: "string" };
    return {
      after: withRequired(withProperties(tool, { ...others, source: part, target: part }), [
        "source",
        "target",
      ]),
    };
  },
  "text to number": (tool, round) => {
    const field = fieldAt(tool, round, ({ type }) => type === "string");
    return (
      field && { after: withProperty(tool, field, { ...tool.inputSchema.properties[field], type: "number" }) }
    );
  },
  "required without default": (tool) => ({
    after: withRequired(withProperty(tool, "tenant", { type: "string" }), [...requiredOf(tool), "tenant"]),
  }),
  "other value": (tool, round) => {
    const field = fieldAt(
      tool,
      round,
      ({ enum: values }) => Array.isArray(values) && values.length > 1 && typeof values[0] === "string",
    );
    if (field === undefined) return undefined;
    const [, ...others] = tool.inputSchema.properties[field].enum;
    return {
      after: withProperty(tool, field, { ...tool.inputSchema.properties[field], enum: ["zzz", ...others] }),
    };
  },
  "another tool": (tool) => ({
    after: { ...tool, description: "Something else altogether, with the same fields" },
    renamed: `${tool.id}_v2`,
  }),
};

/** One change for each value that is spelt differently afterwards; the code gives that value, and never the others. */
function* valueChanges({ before, after }) {
  const withValues = (values) => ({
    id: "shop:list",
    description: "Lists what there is",
    inputSchema: { type: "object", properties: { by: { type: "string", enum: values } }, required: ["by"] },
  });
  for (const [index, from] of before.entries())
    if (from !== after[index])
      yield {
        tool: withValues([from, ...before.filter((one) => one !== from)]),
        after: withValues(after),
        expected: () => ({ by: after[index] }),
      };
}

function meaningChange({ about, before, after, fields = Object.keys(before.inputSchema.properties), code }) {
  const tool = { id: "shop:order", ...before };
  const given = fields.map((key) => `${key}: args.${key}`);
  const call = `mcp["shop:order"]({ ${given.join(", ")} })`;
  return { about, tool, after, fields, code: code?.(call) ?? `return await ${call};` };
}

const WORDS = ["repaired", "refused", "unaffected", "wrong"];

const ITEM = { type: "string", description: "The item that was found" };

function outputOf(properties) {
  return { type: "object", properties: { ...properties, size: { type: "number" } } };
}

function renameField(tool, round, newName) {
  const field = fieldAt(tool, round, (schema, name) => newName(name, schema) !== undefined);
  if (field === undefined) return undefined;
  const to = newName(field, tool.inputSchema.properties[field]);
  if (to in tool.inputSchema.properties) return undefined;
  const properties = Object.fromEntries(
    Object.entries(tool.inputSchema.properties).map(([key, value]) => [key === field ? to : key, value]),
  );
  return {
    after: withRequired(
      withProperties(tool, properties),
      requiredOf(tool).map((key) => (key === field ? to : key)),
    ),
    expected: ({ [field]: value, ...rest }) => ({ ...rest, [to]: value }),
  };
}

/** The field that changes in a round, among those that the code gives. */
function fieldAt(tool, round, fits = () => true) {
  const fields = fieldsOf(tool).filter((key) => fits(tool.inputSchema.properties[key], key));
  return fields.length === 0 ? undefined : fields[round % fields.length];
}

function fieldsOf({ inputSchema }) {
  return Object.keys(inputSchema.properties).slice(0, FIELDS);
}

function isOnlyText({ inputSchema }, description = "") {
  return (
    description !== "" &&
    Object.values(inputSchema.properties).filter((one) => one.description === description).length === 1
  );
}

function withProperties(tool, properties) {
  return { ...tool, inputSchema: { ...tool.inputSchema, properties } };
}

function withProperty(tool, key, value) {
  return withProperties(tool, { ...tool.inputSchema.properties, [key]: value });
}

function withRequired(tool, required) {
  return { ...tool, inputSchema: { ...tool.inputSchema, required } };
}

function requiredOf({ inputSchema: { required = [] } }) {
  return required;
}

function nameOf({ id }) {
  return id.slice(id.indexOf(":") + 1);
}

function sampleOf({ type, enum: values }) {
  if (values !== undefined) return values[0];
  return { number: 4, integer: 4, boolean: true, array: ["a"], object: { a: 1 } }[type] ?? "text";
}

function same(one, other) {
  const sorted = (value) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, inner]) => [key, sorted(inner)]),
        )
      : Array.isArray(value)
        ? value.map(sorted)
        : value;
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function readTools() {
  const lines =
    PML_EVAL_DIR === undefined
      ? []
      : readdirSync(PML_EVAL_DIR)
          .map((set) => join(PML_EVAL_DIR, set, "tools.jsonl"))
          .filter(existsSync)
          .flatMap((file) =>
            readFileSync(file, "utf8")
              .trim()
              .split("\n")
              .map((line) => JSON.parse(line)),
          );
  const found = lines.filter(({ inputSchema }) => {
    const properties = inputSchema?.properties ?? {};
    const keys = Object.keys(properties);
    return (
      keys.length > 0 &&
      keys.length <= 12 &&
      keys.every((key) => /^\w+$/.test(key)) &&
      Object.values(properties).every(
        (one) => one !== null && typeof one === "object" && typeof one.type === "string",
      )
    );
  });
  const named = found.map((tool) => ({ ...tool, id: `${tool.server || "public"}:${tool.name}` }));
  // Taken evenly from the sets.
  const step = Math.ceil(named.length / 600);
  return [...TOOLS, ...named.filter((_, index) => index % step === 0)];
}

await benchmark("drift", "verdicts and repairs of changed tools, in process", async (bench) => {
  const [build] = await builds(bench);
  const { judge } = await build.load("execution/drift/repairs.js");
  const tools = readTools();
  const rows = [];
  let wrongs = 0;
  let drifts = 0;
  for (const [kind, change] of Object.entries(KINDS)) {
    const count = { repaired: 0, refused: 0, wrong: 0, unaffected: 0 };
    for (const given of pick(tools, change, OF_A_KIND)) {
      const outcome = await tryRepair(judge, given);
      count[outcome] += 1;
      drifts += 1;
    }
    wrongs += count.wrong;
    rows.push([kind, ...WORDS.map((what) => `${count[what]}`)]);
  }
  const values = { repaired: 0, refused: 0, wrong: 0, unaffected: 0 };
  for (const given of VALUES.flatMap((one) => [...valueChanges(one)])) {
    values[await tryRepair(judge, given)] += 1;
    drifts += 1;
  }
  wrongs += values.wrong;
  rows.push(["value spelt otherwise", ...WORDS.map((what) => `${values[what]}`)]);
  const synthetic = Object.values(MEANING).flatMap((change) => pick(tools, change, MEANINGS));
  for (const [what, changes] of [
    ["change of meaning", synthetic],
    ["the same, by hand", KNOWN_MEANINGS.map(meaningChange)],
  ]) {
    const count = { broken: 0, repairable: 0, unaffected: 0 };
    for (const given of changes) {
      const { verdict } = verdictOf(judge, given);
      count[verdict] += 1;
      if (verdict !== "broken" && given.about !== undefined) console.error(`${verdict}: ${given.about}`);
    }
    const wrong = count.repairable + count.unaffected;
    wrongs += wrong;
    rows.push([what, count.repairable, count.broken, count.unaffected, wrong].map(String));
  }
  printTable(
    [`${drifts} changes of ${tools.length} tools`, "repaired", "refused", "unaffected", "wrong"],
    rows,
  );
  const took = timeOf(judge, pick(tools, KINDS["field renamed"], 1)[0]);
  printTable(["", "ms"], [[`verdicts for ${DEPENDENTS} capabilities that use one tool`, ms(took)]]);
  bench.expect?.("wrong repairs", wrongs, 0);
  if (wrongs > 0) {
    console.error(`${wrongs} repairs are wrong`);
    process.exitCode = 1;
  }
});
