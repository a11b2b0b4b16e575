import { z } from "zod";

const prefix = z.string().max(1_000).optional();
const common = {
  queryPrefix: prefix.describe("Prefix that the model expects before an intent, for example `query: `"),
  documentPrefix: prefix.describe(
    "Prefix that the model expects before a description, for example `passage: `",
  ),
  weight: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe("Weight of its score relative to the word score; 0.7 by default"),
};

const openai = z.strictObject({
  type: z.literal("openai"),
  url: z
    .url({ protocol: /^https?$/ })
    .describe(
      "Base URL of an OpenAI-compatible API, without /embeddings, for example https://api.openai.com/v1",
    ),
  model: z.string().min(1),
  apiKey: z
    .string()
    .min(1)
    .optional()
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the configuration's own variable.
    .describe("Sent as a bearer token; use ${NAME} to read it from the environment"),
  dimensions: z
    .int()
    .min(8)
    .max(16_384)
    .optional()
    .describe("Dimensions of its vectors, requested and checked; by default the model's own"),
  ...common,
});

const directory = z.strictObject({
  type: z.literal("directory"),
  path: z
    .string()
    .min(1)
    .describe(
      "Directory with tokenizer.json and model_quantized.onnx or model.onnx; relative to the configuration",
    ),
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
    .describe("The embedding model: the one bundled with PML (default), another one, or none"),
});

/** The intended form of an entry, for separate validation: a union's own message names no key. */
export function embedderForm(entry: unknown): (typeof FORMS)[keyof typeof FORMS] | undefined {
  const type = typeof entry === "object" && entry !== null && "type" in entry ? entry.type : undefined;
  return type === "openai" || type === "directory" ? FORMS[type] : undefined;
}
