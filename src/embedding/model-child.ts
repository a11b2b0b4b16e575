/**
 * The process that runs a model. A thread would also keep the gateway's thread free, but the memory of WebAssembly is
 * only released with a process: the first thread that had loaded the model left 240 MB behind when it ended, and the
 * next ones more.
 *
 * It ends with the gateway, in any case: the channel between them closes.
 *
 * @module
 */
import { setFlagsFromString } from "node:v8";
import { messageOf } from "../base/pml-error.js";
import { WASM_FLAGS } from "../base/process-tuning.js";
import type { FromModel, ToModel } from "./model-protocol.js";
import { loadModel, type SentenceModel } from "./sentence-model.js";

setFlagsFromString(WASM_FLAGS);

let model: SentenceModel | undefined;

function say(message: FromModel): void {
  process.send?.(message);
}

async function answer(message: ToModel): Promise<FromModel> {
  if (message.kind === "load") {
    try {
      model = await loadModel(message.files);
      // The first text compiles code that later ones use.
      await model.encode("read a file");
      return { kind: "loaded" };
    } catch (error) {
      return { kind: "unusable", why: messageOf(error) };
    }
  }
  try {
    if (model === undefined) throw new Error("no model is loaded");
    const { kind, text } = message;
    return {
      kind: "vector",
      vector: await (kind === "words" ? model.encodeWords(text) : model.encode(text)),
    };
  } catch (error) {
    return { kind: "refused", why: messageOf(error) };
  }
}

process.on("disconnect", () => process.exit(0));
// Each request sends its own answer and never rejects.
process.on("message", (message: ToModel) => void answer(message).then(say));
