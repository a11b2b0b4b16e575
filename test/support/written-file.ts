import { existsSync, readFileSync, watch } from "node:fs";
import { dirname } from "node:path";

/** Resolves when `file` contains `text`; rejects after `ms`, with its content. */
export function written(file: string, text: string, ms = 10_000): Promise<void> {
  return new Promise((resolve, reject) => {
    const read = () => (existsSync(file) ? readFileSync(file, "utf8") : "");
    const done = (settle: () => void) => {
      clearTimeout(timer);
      watcher.close();
      settle();
    };
    const look = () => {
      if (read().includes(text)) done(resolve);
    };
    const watcher = watch(dirname(file), look);
    const timer = setTimeout(
      () =>
        done(() => reject(new Error(`No ${JSON.stringify(text)} in ${file} within ${ms} ms: "${read()}"`))),
      ms,
    );
    look();
  });
}
