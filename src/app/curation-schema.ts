import { z } from "zod";

const api = {
  model: z.string().min(1).max(200).describe("As the API knows it"),
  apiKeyEnv: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, "expected the name of a variable of the environment")
    .optional()
    .describe("The variable of the environment that holds the key; the key itself never stands here"),
};

/** A password in an address would be shown with it; keys have their variable. */
const baseUrl = z
  .url({ protocol: /^https?$/ })
  .refine((url) => !/^https?:\/\/[^/?#]*@/i.test(url), "expected an address without a user or password")
  .optional();

const anthropic = z.strictObject({
  type: z.literal("anthropic"),
  ...api,
  baseUrl: baseUrl.describe(
    "Without /v1/messages; ANTHROPIC_BASE_URL or https://api.anthropic.com when left out. With it, apiKeyEnv must be given",
  ),
});

const openai = z.strictObject({
  type: z.literal("openai"),
  ...api,
  baseUrl: baseUrl.describe(
    "Of an OpenAI-compatible API, without /chat/completions, for example http://127.0.0.1:11434/v1",
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
    .describe("Curation starts by itself when so many capabilities have no name; 10 by default"),
  mode: z
    .enum(["suggest", "auto", "off"])
    .optional()
    .describe("What it does then: suggest names (default), apply those that it is sure of, or nothing"),
  model: z
    .union([
      z.enum(["none", "haiku", "sonnet", "sampling"]),
      z.discriminatedUnion("type", [anthropic, openai]),
    ])
    .optional()
    .describe("What refines names: none (default), haiku or sonnet, the client's own model, or another one"),
});

/** The form that an entry means to have, to be checked by itself: a union's own message names no key. */
export function nameModelForm(entry: unknown): (typeof FORMS)[keyof typeof FORMS] | undefined {
  const type = typeof entry === "object" && entry !== null && "type" in entry ? entry.type : undefined;
  return type === "anthropic" || type === "openai" ? FORMS[type] : undefined;
}
