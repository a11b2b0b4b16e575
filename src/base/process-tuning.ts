/**
 * Memory and processor settings of processes that PML starts.
 *
 * @module
 */

/**
 * For the allocator of glibc; others ignore these variables. A process reads them once, when it starts.
 *
 * By default glibc gives each thread its own arena and keeps freed memory in it. V8 and PostgreSQL allocate a lot in
 * several threads while they start: an idle gateway would keep 60 to 200 MB of unused memory. The thresholds are fixed
 * because glibc otherwise raises them to 32 MB after the first large buffer, and then keeps such buffers too.
 */
export const ALLOCATOR_VARIABLES: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: String(1024 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(1024 * 1024),
};

/**
 * Flags of V8 for WebAssembly. The first is how much of a function runs before it is optimized, about 50 times the
 * default. Otherwise functions that run only at the start are optimized too: a third of a second of processor time for
 * PostgreSQL, 0.8 seconds and 100 MB for the model. Functions in constant use are still optimized. The second allows
 * only one compiler thread: each one keeps about 10 MB.
 */
export const WASM_FLAGS = "--wasm-tiering-budget=100000000 --wasm-num-compilation-tasks=1";
