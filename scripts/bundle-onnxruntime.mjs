import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { put } from "./put.mjs";

/** The files that Node needs to run a model on one thread, of the package's 140 MB. */
const FILES = ["ort.wasm.min.mjs", "ort-wasm-simd-threaded.mjs", "ort-wasm-simd-threaded.wasm"];

const LICENSE = `ONNX Runtime Web, https://github.com/microsoft/onnxruntime

MIT License

Copyright (c) Microsoft Corporation

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
`;

/** The package has no licences of the works that are compiled into it; its repository has them. */
const notices = (version) => `
The compiled files contain other works, each under a licence of its own. They are listed in
https://github.com/microsoft/onnxruntime/blob/v${version}/ThirdPartyNotices.txt
`;

/** Copies the WebAssembly runtime to where the build expects it, so that users of PML need not install the package. */
export function bundleOnnxruntime(directory) {
  const from = dirname(fileURLToPath(import.meta.resolve("onnxruntime-web/ort-wasm-simd-threaded.wasm")));
  for (const name of FILES) put(join(directory, name), readFileSync(join(from, name)));
  const { version } = JSON.parse(readFileSync(join(from, "..", "package.json"), "utf8"));
  put(join(directory, "LICENSE"), Buffer.from(LICENSE + notices(version)));
}
