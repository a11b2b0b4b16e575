/**
 * The runtime of a model: WebAssembly on one thread. Of its package, whose 140 MB serve every browser, the build takes
 * the three files that Node needs.
 *
 * `onnxruntime-node` is four times as fast and not used: its installation downloads files, and fails if it cannot; and
 * its vectors differ from these (the cosine for some texts is 0.996), and between processors. Vectors in a store must
 * not depend on the machine.
 *
 * @module
 */
export interface OnnxTensor {
  readonly data: Float32Array;
  readonly dims: readonly number[];
  dispose?(): void;
}

export interface OnnxSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, OnnxTensor>>>;
}

/** The used exports of the package. */
export interface OnnxRuntime {
  readonly Tensor: new (type: "int64", data: BigInt64Array, dims: readonly number[]) => unknown;
  readonly InferenceSession: { create(model: Uint8Array, options: object): Promise<OnnxSession> };
  readonly env: { readonly wasm: { numThreads: number } };
}

/** Beside this file in a build; tests run the sources. */
const BUILT = import.meta.url.endsWith(".ts") ? "../../dist/embedding/" : "./";
const WASM = new URL(`${BUILT}onnxruntime/ort.wasm.min.mjs`, import.meta.url);

export async function loadRuntime(): Promise<OnnxRuntime> {
  const runtime = (await import(WASM.href)) as OnnxRuntime;
  runtime.env.wasm.numThreads = 1;
  return runtime;
}
