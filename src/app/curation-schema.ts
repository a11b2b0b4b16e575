import { z } from "zod";

const api = {
  model: z.string().min(1).max(200).describe("Model name, as the API expects it"),
  apiKeyEnv: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, "expected the name of an environment variable")
    .optional()
    .describe("The environment variable that holds the API key; never write the key itself here"),
};

/** A password in an address would be shown with it; keys come from their variable. */
const baseUrl = z
  .url({ protocol: /^https?$/ })
  .refine((url) => !/^https?:\/\/[^/?#]*@/i.test(url), "expected an address without a user or password")
  .optional();

const anthropic = z.strictObject({
  type: z.literal("anthropic"),
  ...api,
  baseUrl: baseUrl.describe(
    "Base URL without /v1/messages; by default ANTHROPIC_BASE_URL or https://api.anthropic.com. If set, apiKeyEnv is required",
  ),
});

const openai = z.strictObject({
  type: z.literal("openai"),
  ...api,
  baseUrl: baseUrl.describe(
    "Base URL of an OpenAI-compatible API, without /chat/completions, for example http://127.0.0.1:11434/v1",
  ),
});

const FORMS = { anthropic, openai } as const;

/** `curation` of the configuration. */
export const curationSchema = z.strictObject({
  after: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe("Number of unnamed capabilities at which curation starts automatically; 10 by default"),
  mode: z
    .enum(["suggest", "auto", "off"])
    .optional()
    .describe(
      "What automatic curation does: suggest names (default), apply the names it is sure of, or nothing",
    ),
  model: z
    .union([
      z.enum(["none", "haiku", "sonnet", "sampling"]),
      z.discriminatedUnion("type", [anthropic, openai]),
    ])
    .optional()
    .describe(
      "The model that refines names: none (default), haiku or sonnet, the client's own model, or another one",
    ),
});

/** The intended form of an entry, for separate validation: a union's own message names no key. */
export function nameModelForm(entry: unknown): (typeof FORMS)[keyof typeof FORMS] | undefined {
  const type = typeof entry === "object" && entry !== null && "type" in entry ? entry.type : undefined;
  return type === "anthropic" || type === "openai" ? FORMS[type] : undefined;
}
