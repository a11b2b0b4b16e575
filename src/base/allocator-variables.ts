/**
 * Variables of processes that PML starts, for the allocator of glibc; others ignore them.
 *
 * By default glibc gives each thread an arena of its own and keeps what was freed in it. V8 and PostgreSQL allocate a lot
 * in several threads while they start: an idle gateway would hold 60 to 200 MB that nothing uses. The thresholds are
 * fixed because glibc otherwise raises them to 32 MB after the first large buffer, and then keeps such buffers too.
 *
 * A process reads them once, when it starts.
 *
 * @module
 */
export const ALLOCATOR_VARIABLES: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: String(1024 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(1024 * 1024),
};
