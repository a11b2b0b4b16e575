import { buildIfChanged } from "../../scripts/build.mjs";

/** Builds if needed. End-to-end tests and worker threads run the built files, so that the shipped code is tested. */
export function setup(): void {
  buildIfChanged();
}
