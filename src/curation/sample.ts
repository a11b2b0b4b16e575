/**
 * A model behind the calling client: its questions and answers.
 *
 * A client answers with the next round of the same request. So the questions must be the same in each round: a question
 * is identified by its content, and {@link SampledAnswers} has the answers so far and the open questions.
 *
 * @module
 */
import { isJsonObject } from "../base/json-object.js";
import { sha256Hex } from "../base/sha256.js";

export interface SampleRequest {
  readonly system: string;
  readonly user: string;
  readonly maxTokens: number;
}

/** Asks the client's model; returns the text of its answer. */
export type Sample = (request: SampleRequest, signal: AbortSignal) => Promise<string>;

/** The parameters of `sampling/createMessage`. */
export interface CreateMessageParams {
  readonly messages: readonly {
    readonly role: "user";
    readonly content: { readonly type: "text"; readonly text: string };
  }[];
  readonly systemPrompt: string;
  readonly maxTokens: number;
  readonly modelPreferences: Readonly<
    Record<"costPriority" | "speedPriority" | "intelligencePriority", number>
  >;
}

export function createMessageParams({ system, user, maxTokens }: SampleRequest): CreateMessageParams {
  return {
    messages: [{ role: "user", content: { type: "text", text: user } }],
    // Questions of servers begin with the server's name, so this one begins with PML's.
    systemPrompt: `PML asks:\n${system}`,
    maxTokens,
    // Naming is a small task: a small model is sufficient.
    modelPreferences: { costPriority: 0.8, speedPriority: 0.6, intelligencePriority: 0.3 },
  };
}

/** The text of the client's model; throws if the client answered something else. */
export function sampledText(response: unknown): string {
  const content = isJsonObject(response) ? response.content : undefined;
  const texts = (Array.isArray(content) ? content : [content]).flatMap((block) =>
    isJsonObject(block) && block.type === "text" && typeof block.text === "string" ? [block.text] : [],
  );
  if (texts.length === 0) throw new Error("The client's model did not answer with text");
  return texts.join("");
}

const KEY_DIGITS = 16;
const KEY = "names_";

export class SampledAnswers {
  readonly #responses: Readonly<Record<string, unknown>>;
  readonly #open = new Map<string, CreateMessageParams>();

  /** @param responses of the client, by the keys of the questions */
  constructor(responses: Readonly<Record<string, unknown>>) {
    this.#responses = responses;
  }

  /** The open questions for the client, by key. */
  get open(): ReadonlyMap<string, CreateMessageParams> {
    return this.#open;
  }

  readonly sample: Sample = async (request) => {
    const key = `${KEY}${(await sha256Hex(JSON.stringify(request))).slice(0, KEY_DIGITS)}`;
    if (Object.hasOwn(this.#responses, key)) return sampledText(this.#responses[key]);
    this.#open.set(key, createMessageParams(request));
    throw new Error("The client has not been asked yet");
  };
}
