/** Pages of the reference, made from what the program itself reads: the schema of the configuration, and the operations. */

export interface Schema {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly required?: readonly string[];
}

export interface Described {
  readonly id: string;
  readonly who: "reader" | "agent" | "person";
  readonly summary: string;
  readonly schema: Schema;
}

const MADE =
  "<!-- Made from the source: `npx vitest run --project pure test/architecture -u` writes it anew. -->";

export function configurationPage(schema: Schema): string {
  return `# Keys of pml.json

For looking up one key. [configuration.md](configuration.md) explains the file, variables and trust.

${MADE}

| key | value | meaning |
|---|---|---|
${keyRows(keysOf(schema, "")).join("\n")}
`;
}

interface Key {
  readonly path: string;
  readonly schema: Schema;
}

function keysOf({ properties = {}, additionalProperties }: Schema, prefix: string): readonly Key[] {
  const named = Object.entries(properties).flatMap(([key, schema]) => {
    const path = `${prefix}${key}`;
    return hasKeys(schema) ? keysOf(schema, `${path}.`) : [{ path, schema }];
  });
  const rest = typeof additionalProperties === "object" ? formsOf(additionalProperties) : [];
  return [...named, ...rest.flatMap((form) => (hasKeys(form) ? keysOf(form, `${prefix}NAME.`) : []))];
}

/** One row for a key, also if several forms of an entry have it. */
function keyRows(keys: readonly Key[]): readonly string[] {
  return [...new Set(keys.map(({ path }) => path))].map((path) => {
    const forms = keys.filter((key) => key.path === path).map(({ schema }) => schema);
    const values = [...new Set(forms.map(valueText))].join(", ");
    return row([
      `\`${path}\``,
      values,
      meaning(forms.find(({ description }) => description !== undefined) ?? {}),
    ]);
  });
}

function formsOf(schema: Schema): readonly Schema[] {
  return schema.anyOf ?? schema.oneOf ?? [schema];
}

function hasKeys(value: Schema): boolean {
  const { properties, additionalProperties } = value;
  const inner = typeof additionalProperties === "object" ? formsOf(additionalProperties) : [];
  return properties !== undefined || inner.some((form) => form.properties !== undefined);
}

export function toolsPage(operations: readonly Described[]): string {
  const parts = operations.map(({ id, who, summary, schema }) => {
    const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
      const isRequired = schema.required?.includes(name) === true;
      return row([`\`${name}\`${isRequired ? " (required)" : ""}`, valueText(field), meaning(field)]);
    });
    const table =
      fields.length === 0 ? "" : `\n\n| field | value | meaning |\n|---|---|---|\n${fields.join("\n")}`;
    return `## ${id.replace(":", "_")}\n\n${WHO[who]}\n\n${summary}${table}`;
  });
  return `# PML's own tools

For programs that call PML over MCP, and for code in a run (\`cap_list\` is \`mcp.cap.list\` there). Commands are made from the
same definitions: \`pml help\`.

${MADE}

${parts.join("\n\n")}
`;
}

const WHO = {
  reader: "*It only reads.*",
  agent: "*It may change something; agents may call it.*",
  person: "*For a person at a command alone; unknown to agents.*",
} as const;

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
}

function meaning({ description = "" }: Schema): string {
  return description.replaceAll("<", "&lt;");
}

const LARGEST = Number.MAX_SAFE_INTEGER;

function valueText(schema: Schema): string {
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((one) => `\`${String(one)}\``).join(", ");
  const forms = schema.anyOf ?? schema.oneOf;
  if (forms !== undefined) return [...new Set(forms.map(valueText))].join(", or ");
  if (schema.type === "array")
    return `list of ${schema.items === undefined ? "values" : valueText(schema.items)}`;
  const { type = "any value", minimum, maximum } = schema;
  const name = typeof type === "string" ? type : type.join(" or ");
  const isBounded = maximum !== undefined && maximum < LARGEST;
  if (isBounded) return `${name}, ${minimum ?? "…"} to ${maximum}`;
  return minimum === undefined || minimum <= -LARGEST ? name : `${name}, at least ${minimum}`;
}
