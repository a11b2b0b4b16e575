/**
 * The few types of `WebAssembly` that are used here: Node has it, but the types of Node do not.
 *
 * @module
 */

/** Compiled code; only passed on. */
export interface WasmModule {
  readonly [Symbol.toStringTag]: string;
}

interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

interface WebAssemblyNamespace {
  readonly Module: new (bytes: Uint8Array) => WasmModule;
  readonly Memory: new (size: { readonly initial: number; readonly maximum: number }) => WasmMemory;
}

declare const WebAssembly: WebAssemblyNamespace;

export function compileWasm(bytes: Uint8Array): WasmModule {
  return new WebAssembly.Module(bytes);
}

export interface BoundedMemory {
  readonly memory: WasmMemory;
  /** Whether it has refused to grow since it was last restored. */
  isRefused(): boolean;
  bytes(): number;
  /** Saves its current content. */
  keep(): void;
  /** Restores the saved content, byte by byte; the memory that it has grown by becomes zero. */
  putBack(): void;
}

const PAGE_BYTES = 64 * 1024;
const ZEROS = Buffer.alloc(PAGE_BYTES);

/** Pages that were never written take no memory of the process: so they are only read here. */
function isZero(bytes: Buffer, from: number): boolean {
  return bytes.compare(ZEROS, 0, PAGE_BYTES, from, from + PAGE_BYTES) === 0;
}

/** Memory in pages of 64 KiB that never grows beyond `maximum`, and remembers whether that was requested. */
export function createBoundedMemory(initial: number, maximum: number): BoundedMemory {
  const memory = new WebAssembly.Memory({ initial, maximum });
  const grow = memory.grow.bind(memory);
  let isRefused = false;
  memory.grow = (pages) => {
    try {
      return grow(pages);
    } catch (thrown) {
      isRefused = true;
      throw thrown;
    }
  };
  let kept = new Uint8Array(0);

  return {
    memory,
    isRefused: () => isRefused,
    bytes: () => memory.buffer.byteLength,
    keep() {
      const bytes = Buffer.from(memory.buffer);
      let end = bytes.length;
      while (end > 0 && isZero(bytes, end - PAGE_BYTES)) end -= PAGE_BYTES;
      kept = new Uint8Array(bytes.subarray(0, end));
    },
    putBack() {
      const bytes = Buffer.from(memory.buffer);
      bytes.set(kept);
      for (let at = kept.length; at < bytes.length; at += PAGE_BYTES)
        if (!isZero(bytes, at)) bytes.fill(0, at, at + PAGE_BYTES);
      isRefused = false;
    },
  };
}
