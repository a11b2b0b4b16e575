/**
 * `pml:open`, the operation of `pml open`: a link that gives one browser access to the dashboard, with the rights of
 * the person at the terminal.
 *
 * @module
 */
import { z } from "zod";
import type { Scope } from "../../registry/scope.js";
import { operation } from "../operation.js";

/** Makes a link for the scope of the caller; starts to serve the dashboard if needed. */
export type OpenDashboard = (scope: Scope) => Promise<{ readonly url: string; readonly expiresAt: Date }>;

export const pmlOpen = operation({
  id: "pml:open",
  who: "person",
  // The link gives the rights of a person.
  decides: () => true,
  // A token stops working when it is revoked; the session of a browser that used it would not.
  reach: "machine",
  summary: "Makes a link to the dashboard that works once, within a minute.",
  input: z.strictObject({}),
  output: z.strictObject({ url: z.string(), expires_at: z.string() }),
  run:
    ({ openDashboard }: { readonly openDashboard: OpenDashboard }) =>
    async (_input, scope) => {
      const { url, expiresAt } = await openDashboard(scope);
      return { url, expires_at: expiresAt.toISOString() };
    },
});
