/**
 * `pml:tokens`, the operation of `pml token`: manages access over HTTP. For a person only.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { defined } from "../../base/defined.js";
import { PmlError } from "../../base/pml-error.js";
import { sha256 } from "../../base/sha256.js";
import type { AccessTokens, KnownToken } from "../../registry/access-tokens.js";
import { TOKEN_ROLES } from "../../registry/role.js";
import { formatScope, parseScope, type Scope } from "../../registry/scope.js";
import { creatorOf } from "../../registry/visibility.js";
import { isTokenHolder } from "../decision-gate.js";
import { list, operation } from "../operation.js";

/** The prefix of tokens, so that people and secret scanners recognise one. */
const TOKEN_PREFIX = "pml_";
const TOKEN_BYTES = 32;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}$/;
const DEFAULT_DAYS = 90;
const MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** Ten years. */
const LONGEST_MS = 3_660 * MS.d;

/** The stored form of a token. */
export function tokenHash(token: string): string {
  return sha256(token);
}

const schema = z.strictObject({
  action: z.enum(["list", "create", "revoke"]),
  name: z.string().min(1).max(100).optional(),
  role: z
    .enum(TOKEN_ROLES)
    .optional()
    .describe("agent (default): run, find and save. person: decide, too. reader: only read"),
  scope: z.string().max(300).optional().describe("ORG/PROJECT[/USER] (default: your own)"),
  expires: z
    .string()
    .max(20)
    .optional()
    .describe(`how long it is valid, such as 12h or 30d, or never (default: ${DEFAULT_DAYS}d)`),
});

const tokenView = z.strictObject({
  name: z.string(),
  role: z.enum(TOKEN_ROLES),
  scope: z.string(),
  state: z.enum(["valid", "expired"]),
  created_by: z.string(),
  created_at: z.string(),
  /** Absent: it never expires. */
  expires_at: z.string().exactOptional(),
  last_used_at: z.string().exactOptional(),
});

export const pmlTokens = operation({
  id: "pml:tokens",
  who: "person",
  decides: ({ action }) => action !== "list",
  summary: "Manages the tokens with which clients connect over HTTP.",
  input: schema,
  output: z.union([
    z.strictObject({ tokens: list(tokenView) }),
    /** Only the answer to `create` contains the token itself. */
    tokenView.extend({ token: z.string().exactOptional() }),
  ]),
  run:
    ({ accessTokens: tokens }: { readonly accessTokens: AccessTokens }) =>
    async ({ action, name, role = "agent", scope: wanted, expires }, scope, caller) => {
      // A caller with a token manages the tokens of its own project only.
      const isOwn = (of: Scope) =>
        !isTokenHolder(caller) || (of.org === scope.org && of.project === scope.project);
      if (action === "list") {
        await tokens.reload();
        return { tokens: tokens.list().flatMap((token) => (isOwn(token.scope) ? [viewOf(token)] : [])) };
      }
      if (name === undefined)
        throw new PmlError("ARGUMENTS_INVALID", `Cannot call pml_tokens: ${action} needs a name`);
      if (action === "revoke") {
        await tokens.reload();
        const known = tokens.list().find((token) => token.name === name);
        const gone = known !== undefined && isOwn(known.scope) ? await tokens.revoke(name) : undefined;
        if (gone === undefined)
          throw new PmlError("TOKEN_NOT_FOUND", `There is no token called ${JSON.stringify(name)}`, {
            hint: "`pml token list` lists them.",
          });
        return viewOf(gone);
      }
      if (!NAME.test(name))
        throw new PmlError(
          "NAME_INVALID",
          `Cannot use ${JSON.stringify(name)} as the name of a token: expected 1 to 64 letters, digits, '_', '.', '@' and '-'`,
        );
      const of = wanted === undefined ? scope : parseScope(wanted, scope);
      if (!isOwn(of))
        throw new PmlError(
          "NOT_ALLOWED",
          `Cannot create a token for ${formatScope(of)}: with a token you can create others for ${scope.org}/${scope.project} only`,
        );
      const until = expiryOf(expires);
      const token = `${TOKEN_PREFIX}${randomBytes(TOKEN_BYTES).toString("base64url")}`;
      const made = await tokens.create({
        name,
        role,
        scope: { org: of.org, project: of.project, user: of.user },
        hash: tokenHash(token),
        createdBy: creatorOf(scope),
        createdAt: new Date(),
        ...defined({ expiresAt: until }),
      });
      return { ...viewOf(made), token };
    },
});

function expiryOf(text = `${DEFAULT_DAYS}d`): Date | undefined {
  if (text === "never") return undefined;
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const ms = Number(count) * MS[unit as keyof typeof MS];
  if (count === undefined || ms === 0 || ms > LONGEST_MS)
    throw new PmlError(
      "ARGUMENTS_INVALID",
      `Cannot read ${JSON.stringify(text)} as a time: expected a number with s, m, h or d, such as 30d, up to 3660d, or never`,
    );
  return new Date(Date.now() + ms);
}

function viewOf(token: KnownToken): z.infer<typeof tokenView> {
  const { name, role, scope, createdBy, createdAt, expiresAt, lastUsedAt } = token;
  return {
    name,
    role,
    scope: formatScope(scope),
    state: expiresAt !== undefined && expiresAt.getTime() <= Date.now() ? "expired" : "valid",
    created_by: createdBy,
    created_at: createdAt.toISOString(),
    ...defined({ expires_at: expiresAt?.toISOString(), last_used_at: lastUsedAt?.toISOString() }),
  };
}
