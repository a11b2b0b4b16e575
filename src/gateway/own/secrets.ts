/**
 * `pml:secrets`, for the dashboard: the secrets stored on this machine, and what uses them, without their values. For a
 * person only; `pml secret` sets and removes them.
 *
 * @module
 */
import { z } from "zod";
import { decidesNothing, list, operation } from "../operation.js";

export interface KeptSecret {
  readonly name: string;
  readonly setAt: string;
  /** Names of servers, and of files if something else uses it. */
  readonly usedBy: readonly string[];
}

export const pmlSecrets = operation({
  id: "pml:secrets",
  who: "person",
  reach: "everybody",
  decides: decidesNothing,
  summary: "Lists the names of the secrets that are kept on the gateway's machine, and what uses them.",
  input: z.strictObject({}),
  output: z.strictObject({
    secrets: list(z.strictObject({ name: z.string(), set_at: z.string(), used_by: list(z.string()) })),
  }),
  run:
    ({ secrets }: { readonly secrets: () => readonly KeptSecret[] }) =>
    async () => ({
      secrets: secrets().map(({ name, setAt, usedBy }) => ({ name, set_at: setAt, used_by: usedBy })),
    }),
});
