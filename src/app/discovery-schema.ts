import { z } from "zod";

const prefix = z.string().max(1_000).optional();
const common = {
  queryPrefix: prefix.describe("What the model wants before an intent, for example `query: `"),
  documentPrefix: prefix.describe("What the model wants before a description, for example `passage: `"),
  weight: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe("How much its score counts beside that of the words; 0.7 by default"),
};

const openai = z.strictObject({
  type: z.literal("openai"),
  url: z
    .url({ protocol: /^https?$/ })
    .describe("Of an OpenAI-compatible API, without /embeddings, for example https://api.openai.com/v1"),
  model: z.string().min(1),
  apiKey: z
    .string()
    .min(1)
    .optional()
    .describe("Sent as a bearer token; a variable takes it from the environment"),
  dimensions: z
    .int()
    .min(8)
    .max(16_384)
    .optional()
    .describe("Of its vectors, asked for and checked; the model's own when left out"),
  ...common,
});

const directory = z.strictObject({
  type: z.literal("directory"),
  path: z
    .string()
    .min(1)
    .describe("With model_quantized.onnx or model.onnx and tokenizer.json; relative to the configuration"),
  ...common,
});

const FORMS = { openai, directory } as const;

/** `discovery.embedder` of the configuration. */
const embedderSchema = z.union([
  z.enum(["bundled", "none"]),
  z.discriminatedUnion("type", [openai, directory]),
]);

/** `discovery` of the configuration. */
export const discoverySchema = z.strictObject({
  embedder: embedderSchema
    .optional()
    .describe("What turns texts into vectors: the model that comes with PML (default), another one, or none"),
});

/** The form that an entry means to have, to be checked by itself: a union's own message names no key. */
export function embedderForm(entry: unknown): (typeof FORMS)[keyof typeof FORMS] | undefined {
  const type = typeof entry === "object" && entry !== null && "type" in entry ? entry.type : undefined;
  return type === "openai" || type === "directory" ? FORMS[type] : undefined;
}
