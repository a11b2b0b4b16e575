import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ALLOCATOR_VARIABLES } from "../../src/base/process-tuning.js";

/** Where Linux keeps files in memory. */
const MEMORY = "/dev/shm";
/** More than all tests need at the same time. */
const BYTES_LEAST = 6 * 1024 ** 3;
/** Set by the first project that is set up, for the others. */
const HOME = "PML_TEST_HOME";

/**
 * Files that tests keep for their user go into a temporary directory, never into the home of the person who runs them.
 * Other temporary directories of tests are in it too. It is in memory if there is enough space: each gateway of a test
 * unpacks a database, and a disk makes that several times slower.
 */
export function setup(): () => void {
  if (process.env[HOME] !== undefined) return () => {};
  const home = memoryDirectory() ?? mkdtempSync(join(tmpdir(), "pml-"));
  // Other users may pass through, as in the shared temporary directory: if root runs the tests, PostgreSQL runs as
  // another user.
  chmodSync(home, 0o711);
  process.env[HOME] = home;
  process.env.XDG_DATA_HOME = join(home, "data");
  process.env.XDG_CONFIG_HOME = join(home, "config");
  process.env.TMPDIR = home;
  // Workers often start processes, which takes longer the more memory they hold.
  Object.assign(process.env, ALLOCATOR_VARIABLES);
  return () => rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}

function memoryDirectory(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < BYTES_LEAST) return undefined;
    const directory = mkdtempSync(join(MEMORY, "pml-"));
    // Some systems forbid programs there, and tests write some.
    const program = join(directory, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o700 });
    if (spawnSync(program).status === 0) return directory;
    rmSync(directory, { recursive: true });
  } catch {
    // Not Linux, or no permission.
  }
  return undefined;
}
