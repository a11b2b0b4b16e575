import { buildIfChanged } from "../../scripts/build.mjs";

/** End-to-end tests and worker threads run the built files, so that what is tested is what is shipped. */
export function setup(): void {
  buildIfChanged();
}
