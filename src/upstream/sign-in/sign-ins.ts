/**
 * Sign-ins to servers: started by a person, and completed by the browser's redirect, by an address that the person
 * pastes, or by the device flow.
 *
 * The data of an open sign-in (verifier, client, address) is found by its random `state`.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import {
  exchangeAuthorization,
  type OAuthServerInfo,
  type OAuthTokens,
  startAuthorization,
} from "@modelcontextprotocol/client";
import { LIMITS } from "../../base/limits.js";
import type { Log } from "../../base/log.js";
import { messageOf, PmlError } from "../../base/pml-error.js";
import { sha256 } from "../../base/sha256.js";
import type { BegunSignIn, MadeSignIn, SignInWay } from "../../registry/sign-in-store.js";
import type { HttpServerEntry } from "../server-entry.js";
import type { AuthSettings } from "./auth-settings.js";
import { CallbackListener, isLoopbackUrl } from "./callback-listener.js";
import { type DeviceCode, deviceEndpoint, deviceTokens, posted, startDevice } from "./device-flow.js";
import { type Grant, type KnownClient, keptTokens } from "./grant.js";
import type { GrantVault } from "./grant-vault.js";
import {
  clientFor,
  findAuthorizationServer,
  limitedFetch,
  reasonOf,
  scopeFor,
  shown,
} from "./oauth-requests.js";
import { TokenKeeper } from "./token-keeper.js";

interface OpenSignIn {
  readonly begun: BegunSignIn;
  readonly keeper: TokenKeeper;
  readonly info: OAuthServerInfo;
  readonly client: KnownClient;
  readonly auth: AuthSettings;
  readonly resource: string | undefined;
  readonly scope: string | undefined;
  readonly verifier: string;
  readonly made: Promise<MadeSignIn>;
  settle(outcome: Promise<MadeSignIn>): void;
  /** Stops waiting, and discards it. */
  end(): void;
}

export interface SignInParts {
  readonly vault: GrantVault;
  readonly log: Log;
  readonly hide: (values: readonly string[], former: readonly string[]) => void;
}

export type SignInEntry = HttpServerEntry & { readonly auth: AuthSettings };

export class SignIns {
  readonly #parts: SignInParts;
  readonly #keepers = new Map<string, TokenKeeper>();
  readonly #open = new Map<string, OpenSignIn>();
  readonly #listener = new CallbackListener((parameters) => this.#fromBrowser(parameters));

  constructor(parts: SignInParts) {
    this.#parts = parts;
  }

  /** The tokens of this owner for this server; empty for the installation. */
  keeper({ name, url }: SignInEntry, owner: string): TokenKeeper {
    const key = { server: name, address: sha256(url.href), owner };
    const id = JSON.stringify(key);
    const known = this.#keepers.get(id);
    if (known !== undefined) return known;
    const made = new TokenKeeper({ ...this.#parts, key });
    this.#keepers.set(id, made);
    return made;
  }

  /** Throws `SIGN_IN_FAILED` with a hint for the person. */
  async begin(entry: SignInEntry, owner: string, way: SignInWay): Promise<BegunSignIn> {
    if (this.#open.size >= LIMITS.signInsOpen)
      throw new PmlError("LIMIT_EXCEEDED", `Cannot begin a sign-in: ${this.#open.size} are open`, {
        hint: "Complete one of them, or wait ten minutes.",
      });
    const { auth } = entry;
    if (way === "browser" && !isLoopbackUrl(auth.redirectUrl))
      throw failed(entry.name, "auth.redirectUrl is not an address of this machine with a port", {
        hint: "Use --paste.",
      });
    const keeper = this.keeper(entry, owner);
    try {
      return await this.#begin(entry, keeper, way);
    } catch (error) {
      if (error instanceof PmlError && error.code === "LIMIT_EXCEEDED") throw error;
      const hint = error instanceof PmlError ? error.hint : undefined;
      throw failed(entry.name, reasonOf(error), { cause: error, ...(hint === undefined ? {} : { hint }) });
    }
  }

  async #begin(entry: SignInEntry, keeper: TokenKeeper, way: SignInWay): Promise<BegunSignIn> {
    const { auth, name: server, url: serverUrl } = entry;
    const { info, resource } = await findAuthorizationServer(serverUrl, keeper.challenge, auth);
    const kept = await this.#parts.vault.read(keeper.key).catch(() => undefined);
    const metadata = info.authorizationServerMetadata;
    const before = kept?.issuer === metadata?.issuer ? kept : undefined;
    const scope = scopeFor(info, auth, keeper.challenge, before?.tokens?.scope);
    const client = await clientFor(info, auth, scope, before?.client);
    const id = randomBytes(24).toString("base64url");
    const common = { id, server, redirectUrl: auth.redirectUrl };
    if (way === "device") {
      const endpoint = deviceEndpoint(metadata);
      if (endpoint === undefined)
        throw new PmlError("SIGN_IN_FAILED", "the authorization server has no device flow", {
          hint: `Use \`pml login ${server}\` or \`pml login ${server} --paste\`.`,
        });
      const isLocal = serverUrl.protocol === "http:";
      const code = await startDevice(endpoint, metadata, client, { scope, resource, isLocal });
      const begun: BegunSignIn = {
        ...common,
        url: code.completeAddress ?? code.address,
        userCode: code.userCode,
        expiresAt: new Date(Date.now() + Math.min(code.expiresMs, LIMITS.signInOpenMs)),
      };
      const open = this.#keepOpen({ begun, keeper, info, client, auth, resource, scope, verifier: "" });
      open.settle(this.#byDevice(open, code));
      return begun;
    }
    const { authorizationUrl, codeVerifier: verifier } = await startAuthorization(
      info.authorizationServerUrl,
      {
        ...(metadata === undefined ? {} : { metadata }),
        clientInformation: client.information,
        redirectUrl: auth.redirectUrl,
        state: id,
        ...(scope === undefined ? {} : { scope }),
        ...(resource === undefined ? {} : { resource }),
      },
    );
    const stopListening = way === "browser" ? await this.#listener.wait(auth.redirectUrl) : () => {};
    const expiresAt = new Date(Date.now() + LIMITS.signInOpenMs);
    const begun: BegunSignIn = { ...common, url: authorizationUrl.href, expiresAt };
    this.#keepOpen({ begun, keeper, info, client, auth, resource, scope, verifier }, stopListening);
    return begun;
  }

  /** Completes it with the person's input: the whole address that the browser was sent to, or only the code. */
  async complete(id: string, pasted: string): Promise<MadeSignIn> {
    const open = this.#find(id);
    const text = pasted.trim();
    if (!/^https?:\/\//i.test(text) && !/[?&=]/.test(text)) {
      if (!/^[\x21-\x7e]{1,4000}$/.test(text))
        throw failed(open.begun.server, "the pasted text is neither an address nor a code");
      return await this.#redeem(open, new URLSearchParams({ code: text, state: id }));
    }
    const parameters = URL.canParse(text)
      ? new URL(text).searchParams
      : new URLSearchParams(text.replace(/^[^?]*\?/, ""));
    return await this.#redeem(open, parameters);
  }

  /** Resolves when it is completed: by the browser, by pasting, or by the device flow. */
  async finished(id: string, ms: number, signal: AbortSignal): Promise<MadeSignIn> {
    const open = this.#find(id);
    let timer: NodeJS.Timeout | undefined;
    let giveUp = () => {};
    const late = new Promise<never>((_resolve, reject) => {
      giveUp = () => reject(failed(open.begun.server, "it was not completed in time"));
      timer = setTimeout(giveUp, ms);
      signal.addEventListener("abort", giveUp, { once: true });
    });
    try {
      return await Promise.race([open.made, late]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
    }
  }

  /** Cancels an open sign-in. */
  abandon(id: string): void {
    this.#open.get(id)?.end();
  }

  /** Ends a sign-in: at the authorization server if possible, and here in any case. */
  async signOut(entry: SignInEntry, owner: string): Promise<{ wasSignedIn: boolean; isRevoked: boolean }> {
    const grant = await this.keeper(entry, owner).drop();
    if (grant?.tokens === undefined) return { wasSignedIn: false, isRevoked: false };
    const endpoint = (grant.metadata as { readonly revocation_endpoint?: unknown } | undefined)
      ?.revocation_endpoint;
    if (typeof endpoint !== "string") return { wasSignedIn: true, isRevoked: false };
    const { access, refresh } = grant.tokens;
    try {
      for (const [token, token_type_hint] of [
        [refresh, "refresh_token"],
        [access, "access_token"],
      ] as const)
        if (token !== undefined)
          await posted(
            endpoint,
            grant.metadata,
            grant.client,
            new URLSearchParams({ token, token_type_hint }),
          );
      return { wasSignedIn: true, isRevoked: true };
    } catch (error) {
      this.#parts.log.warn("sign_in.not_revoked", { server: entry.name, problem: reasonOf(error) });
      return { wasSignedIn: true, isRevoked: false };
    }
  }

  stop(): void {
    for (const open of [...this.#open.values()]) open.end();
    for (const keeper of this.#keepers.values()) keeper.stop();
  }

  #keepOpen(
    parts: Omit<OpenSignIn, "made" | "settle" | "end">,
    stopListening: () => void = () => {},
  ): OpenSignIn {
    let settle: OpenSignIn["settle"] = () => {};
    let reject: (reason: PmlError) => void = () => {};
    const made = new Promise<MadeSignIn>((resolve, refuse) => {
      settle = resolve;
      reject = refuse;
    });
    const { id, server, expiresAt } = parts.begun;
    const end = () => {
      clearTimeout(timer);
      stopListening();
      this.#open.delete(id);
      reject(failed(server, "it was not completed"));
    };
    const timer = setTimeout(end, expiresAt.getTime() - Date.now());
    timer.unref();
    const open: OpenSignIn = { ...parts, made, settle, end };
    this.#open.set(id, open);
    // Clients that wait for it may ask a moment later.
    made.then(
      () => setTimeout(end, LATE_MS).unref(),
      () => setTimeout(end, LATE_MS).unref(),
    );
    return open;
  }

  #find(id: string): OpenSignIn {
    const open = this.#open.get(id);
    if (open !== undefined) return open;
    throw new PmlError("SIGN_IN_FAILED", "This sign-in is not open: it was completed, or has expired", {
      hint: "Run `pml login SERVER` again.",
    });
  }

  async #fromBrowser(parameters: URLSearchParams): Promise<string> {
    const open = this.#find(parameters.get("state") ?? "");
    const { server } = await this.#redeem(open, parameters);
    return `Signed in to ${server}. You can close this page.`;
  }

  /** A code is valid once, for the sign-in with its state. */
  async #redeem(open: OpenSignIn, parameters: URLSearchParams): Promise<MadeSignIn> {
    const { begun, info, client, auth, verifier, resource } = open;
    if (parameters.get("state") !== begun.id)
      throw failed(begun.server, "the answer belongs to another sign-in (its state differs)");
    const refusal = parameters.get("error");
    const code = parameters.get("code");
    const redeeming = (async () => {
      if (refusal !== null) {
        const described = parameters.get("error_description");
        throw new Error(
          `the authorization server answered ${shown(refusal)}${described === null ? "" : `: ${shown(described)}`}`,
        );
      }
      if (code === null || verifier === "") throw new Error("the answer has no code");
      const metadata = info.authorizationServerMetadata;
      const iss = parameters.get("iss");
      const askedAt = Date.now();
      const tokens = await exchangeAuthorization(info.authorizationServerUrl, {
        ...(metadata === undefined ? {} : { metadata }),
        clientInformation: client.information,
        authorizationCode: code,
        ...(iss === null ? {} : { iss }),
        codeVerifier: verifier,
        redirectUri: auth.redirectUrl,
        ...(resource === undefined ? {} : { resource }),
        fetchFn: limitedFetch,
      });
      return await this.#keep(open, tokens, askedAt);
    })().catch((error: unknown) => {
      throw failed(begun.server, reasonOf(error), { cause: error });
    });
    // A state can be used once, even if the exchange failed.
    this.#open.delete(begun.id);
    this.#open.set(begun.id, { ...open, verifier: "" });
    open.settle(redeeming);
    return await redeeming;
  }

  async #byDevice(open: OpenSignIn, code: DeviceCode): Promise<MadeSignIn> {
    const metadata = open.info.authorizationServerMetadata;
    try {
      const endpoint = metadata?.token_endpoint ?? "";
      const given = new AbortController();
      open.made.catch(() => given.abort());
      const tokens = await deviceTokens(endpoint, metadata, open.client, code, given.signal);
      return await this.#keep(open, tokens, Date.now());
    } catch (error) {
      throw failed(open.begun.server, reasonOf(error), { cause: error });
    }
  }

  async #keep(open: OpenSignIn, answer: OAuthTokens, askedAt: number): Promise<MadeSignIn> {
    const { info, client, resource, keeper, scope, begun } = open;
    const metadata = info.authorizationServerMetadata;
    const asked = answer.scope === undefined && scope !== undefined ? { ...answer, scope } : answer;
    const tokens = keptTokens(asked, askedAt);
    const grant: Grant = {
      issuer: metadata?.issuer ?? info.authorizationServerUrl,
      authorizationServer: info.authorizationServerUrl,
      ...(metadata === undefined ? {} : { metadata }),
      client,
      ...(resource === undefined ? {} : { resource }),
      tokens,
      dead: keeper.grant?.dead ?? [],
    };
    await keeper.keep(grant);
    this.#parts.log.info("sign_in.made", { server: begun.server, issuer: grant.issuer });
    return {
      server: begun.server,
      issuer: grant.issuer,
      ...(tokens.scope === undefined ? {} : { scope: tokens.scope }),
      ...(tokens.expiresAt === undefined ? {} : { expiresAt: new Date(tokens.expiresAt) }),
      isRefreshable: tokens.refresh !== undefined,
    };
  }
}

const LATE_MS = 60_000;

function failed(
  server: string,
  why: string,
  options: { readonly hint?: string; readonly cause?: unknown } = {},
): PmlError {
  const sentence = messageOf(why).replace(/\.$/, "");
  return new PmlError("SIGN_IN_FAILED", `Cannot sign in to "${server}": ${sentence}`, {
    hint: `Run \`pml login ${server}\` again; \`pml doctor\` shows its state.`,
    ...options,
    data: { server },
  });
}
