import { LIMITS } from "../base/limits.js";
import type { NameModel, NamingAnswer, NamingBrief } from "../curation/name-model.js";
import type { Sample } from "../curation/sample.js";
import { readAnswers } from "./model-answer.js";
import { tooLong } from "./model-failed.js";
import { ANSWER_TOKENS, namePrompt } from "./name-prompt.js";

/** The model of the client that asked, if the client offers one: requests use `sampling/createMessage`. */
export class SamplingModel implements NameModel {
  readonly name = "sampling";
  readonly #sample: Sample;

  constructor(sample: Sample) {
    this.#sample = sample;
  }

  async refine(briefs: readonly NamingBrief[], signal: AbortSignal): Promise<readonly NamingAnswer[]> {
    signal.throwIfAborted();
    const text = await this.#sample({ ...namePrompt(briefs), maxTokens: ANSWER_TOKENS }, signal);
    if (text.length > LIMITS.nameAnswerBytes) throw tooLong();
    return readAnswers(text);
  }
}
