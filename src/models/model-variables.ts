/**
 * Reads the environment variables that a model needs. The background gateway does not inherit them: the process that
 * starts it reads them and passes them on. That happens before the configuration is checked, and must not load
 * anything.
 *
 * @module
 */

export const ANTHROPIC_KEY = "ANTHROPIC_API_KEY";
export const ANTHROPIC_URL = "ANTHROPIC_BASE_URL";
export const OPENAI_KEY = "OPENAI_API_KEY";

export type ModelEnvironment = Readonly<Record<string, string | undefined>>;

/** Returns only those variables of `env` that the configured model needs. */
export function modelEnvironment(model: unknown, env: ModelEnvironment): Readonly<Record<string, string>> {
  const found: [string, string][] = [];
  for (const name of modelVariables(model)) {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value !== undefined) found.push([name, value]);
  }
  return Object.fromEntries(found);
}

function modelVariables(model: unknown): readonly string[] {
  if (model === "haiku" || model === "sonnet") return [ANTHROPIC_KEY, ANTHROPIC_URL];
  if (typeof model !== "object" || model === null) return [];
  const { type, baseUrl, apiKeyEnv } = model as Readonly<Record<string, unknown>>;
  const named = typeof apiKeyEnv === "string" ? [apiKeyEnv] : [];
  // The key in the environment is sent only to the address in the environment. Any other address needs its own key.
  if (baseUrl !== undefined) return named;
  if (type === "anthropic") return [ANTHROPIC_URL, ...(named.length > 0 ? named : [ANTHROPIC_KEY])];
  return named.length === 0 && type === "openai" ? [OPENAI_KEY] : named;
}
