/**
 * Sign-in to servers, for `pml login` and `pml logout`: only a person starts and completes it. An agent can only be
 * shown where its user signs in.
 *
 * @module
 */
import { z } from "zod";
import { defined } from "../../base/defined.js";
import { LIMITS } from "../../base/limits.js";
import type { Scope } from "../../registry/scope.js";
import type { BegunSignIn, MadeSignIn, SignInWay } from "../../registry/sign-in-store.js";
import { decidesNothing, operation } from "../operation.js";

/** The parts of the gateway that these operations need. */
export interface SignInDesk {
  /** Whether all users of the gateway share the sign-in to the server. */
  isShared(server: string): boolean;
  begin(server: string, way: SignInWay, scope: Scope): Promise<BegunSignIn>;
  complete(id: string, pasted: string): Promise<MadeSignIn>;
  finished(id: string, ms: number, signal: AbortSignal): Promise<MadeSignIn>;
  signOut(
    server: string,
    scope: Scope,
  ): Promise<{ readonly wasSignedIn: boolean; readonly isRevoked: boolean }>;
}

export interface SignInOperationParts {
  readonly signIn: SignInDesk;
}

/** A sign-in per user belongs to that user; the installation's sign-in is shared by all. */
const OF_ALL = {
  reach: "shared",
  reachesWhen: (
    { server }: Readonly<Record<string, unknown>>,
    { signIn }: { readonly signIn: Pick<SignInDesk, "isShared"> },
  ) => signIn.isShared(String(server)),
} as const;

const server = z.string().min(1).max(200).describe("Name of the server in the configuration");

export const pmlLogin = operation({
  id: "pml:login",
  who: "person",
  ...OF_ALL,
  decides: () => true,
  summary: "Begins a sign-in to a server, and says which address a person has to open.",
  input: z.strictObject({
    server,
    way: z
      .enum(["browser", "paste", "device"])
      .optional()
      .describe("How the answer comes back: to this machine (default), pasted by the person, or with a code"),
  }),
  output: z.strictObject({
    /** For `pml:login_finish`. */
    login: z.string(),
    server: z.string(),
    url: z.string(),
    /** Where the browser is redirected afterwards. */
    redirect_url: z.string(),
    /** The code to type at the address. */
    user_code: z.string().exactOptional(),
    expires_at: z.string(),
  }),
  run:
    ({ signIn }: SignInOperationParts) =>
    async ({ server: name, way = "browser" }, scope) => {
      const { id, server: of, url, redirectUrl, userCode, expiresAt } = await signIn.begin(name, way, scope);
      return {
        login: id,
        server: of,
        url,
        redirect_url: redirectUrl,
        ...defined({ user_code: userCode }),
        expires_at: expiresAt.toISOString(),
      };
    },
});

export const pmlLoginFinish = operation({
  id: "pml:login_finish",
  who: "person",
  decides: () => true,
  summary: "Completes a sign-in with what a person pasted, or waits until the browser has completed it.",
  input: z.strictObject({
    login: z.string().min(1).max(200).describe("The id that pml:login answered"),
    pasted: z
      .string()
      .min(1)
      .max(8_000)
      .optional()
      .describe("The address that the browser was sent to, or the code in it"),
    wait_ms: z.int().min(1).max(LIMITS.signInOpenMs).optional().describe("How long to wait"),
  }),
  output: z.strictObject({
    server: z.string(),
    issuer: z.string(),
    scope: z.string().exactOptional(),
    expires_at: z.string().exactOptional(),
    /** Whether it can be renewed without a person when the access token expires. */
    refreshable: z.boolean(),
  }),
  run:
    ({ signIn }: SignInOperationParts) =>
    async ({ login, pasted, wait_ms: ms = LIMITS.signInOpenMs }, _scope, { signal }) => {
      const made = await (pasted === undefined
        ? signIn.finished(login, ms, signal)
        : signIn.complete(login, pasted));
      const { scope, expiresAt } = made;
      return {
        server: made.server,
        issuer: made.issuer,
        ...defined({ scope, expires_at: expiresAt?.toISOString() }),
        refreshable: made.isRefreshable,
      };
    },
});

export const pmlLogout = operation({
  id: "pml:logout",
  who: "person",
  ...OF_ALL,
  decides: decidesNothing,
  summary: "Ends the sign-in to a server: its tokens are revoked where that is possible, and deleted.",
  input: z.strictObject({ server }),
  output: z.strictObject({
    server: z.string(),
    signed_out: z.boolean(),
    /** Whether the authorization server has revoked the tokens too. */
    revoked: z.boolean(),
  }),
  run:
    ({ signIn }: SignInOperationParts) =>
    async ({ server: name }, scope) => {
      const { wasSignedIn, isRevoked } = await signIn.signOut(name, scope);
      return { server: name, signed_out: wasSignedIn, revoked: isRevoked };
    },
});
