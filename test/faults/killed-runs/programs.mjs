/** Programs that write, in all shapes: each knows which effects it has, each exactly once. */

const list = (run, ...names) => names.map((name) => `${run}/${name}`);

export const PROGRAMS = [
  {
    name: "in a row",
    input: (run) => ({
      code: `const out = [];
for (const name of ["a", "b", "c", "d", "e", "f", "g", "h", "i"]) {
  out.push((await mcp.counting.write({ id: ${JSON.stringify(run)} + "/" + name })).wrote);
  await mcp.counting.pause({ ms: 80 });
}
return out;`,
    }),
    effects: (run) => list(run, "a", "b", "c", "d", "e", "f", "g", "h", "i"),
  },
  {
    name: "at once",
    input: (run) => ({
      code: `const names = ["a", "b", "c", "d", "e", "f", "g"];
const out = await Promise.all(names.map(async (name, index) => {
  await mcp.counting.pause({ ms: 40 * index });
  return (await mcp.counting.write({ id: ${JSON.stringify(run)} + "/" + name })).wrote;
}));
await mcp.counting.pause({ ms: 120 });
return out;`,
    }),
    effects: (run) => list(run, "a", "b", "c", "d", "e", "f", "g"),
  },
  {
    name: "two flows, time and chance",
    input: (run) => ({
      code: `const flow = async (name, n) => {
  const out = [];
  for (let index = 0; index < n; index += 1) {
    out.push((await mcp.counting.write({ id: ${JSON.stringify(run)} + "/" + name + index })).wrote);
    if (Math.random() < 0.5) await mcp.counting.pause({ ms: 60 });
    else await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return out;
};
const startedAt = Date.now();
const [one, two] = await Promise.all([flow("x", 4), flow("y", 3)]);
await mcp.counting.pause({ ms: 100 });
return [...one, ...two, Date.now() >= startedAt].slice(0, 7);`,
    }),
    effects: (run) => list(run, "x0", "x1", "x2", "x3", "y0", "y1", "y2"),
  },
  {
    name: "a graph of tasks",
    input: (run) => ({
      dag: {
        tasks: [
          { id: "a", tool: "counting:write", arguments: { id: `${run}/a` } },
          { id: "b", tool: "counting:write", arguments: { id: `${run}/b` } },
          { id: "rest", tool: "counting:pause", arguments: { ms: 120 }, dependsOn: ["a", "b"] },
          { id: "c", tool: "counting:write", arguments: { id: `${run}/c` }, dependsOn: ["rest"] },
          { id: "again", tool: "counting:pause", arguments: { ms: 120 }, dependsOn: ["c"] },
          { id: "d", tool: "counting:write", arguments: { id: `${run}/d` }, dependsOn: ["again"] },
          { id: "e", tool: "counting:write", arguments: { id: `${run}/e` }, dependsOn: ["again"] },
        ],
      },
    }),
    effects: (run) => list(run, "a", "b", "c", "d", "e"),
  },
  {
    name: "layer by layer",
    input: (run) => ({
      code: `const a = await mcp.counting.write({ id: "${run}/a" });
await mcp.counting.pause({ ms: 100 });
const both = await Promise.all([mcp.counting.write({ id: "${run}/b" }), mcp.counting.write({ id: "${run}/c" })]);
await mcp.counting.pause({ ms: 100 });
return [a.wrote, ...both.map((one) => one.wrote)];`,
      options: { per_layer_validation: true },
    }),
    effects: (run) => list(run, "a", "b", "c"),
  },
];
