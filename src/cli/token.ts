import type { AnswerOf } from "../app/call-operation.js";
import { pmlTokens } from "../gateway/own/tokens.js";
import { action, group } from "./operation-command.js";
import { ANY_WIDTH, table, visible } from "./output.js";
import { pasteable } from "./pasteable.js";
import { agoText, localTime } from "./when.js";

export const token = group(
  "token",
  `A client that connects over HTTP sends a token. The scope and the role of the token apply to everything that the client
does. Beyond this machine, HTTP needs a token (docs/guides/team.md). create shows the token once; PML keeps only its hash. create and
revoke need a terminal, and your PIN if one is set (pml pin).`,
  {
    create: action({
      operation: pmlTokens,
      title: "Create a token, and show it once",
      about: `Creates a token and shows it. It cannot be shown again.

An agent runs code, calls tools, finds and saves. A person can also decide approvals, verify capabilities, trust keys and
accept changed tools: never give such a token to an agent. A reader can only find and read; its calls reach no server.`,
      takes: "name",
      of: "name",
      implied: { action: "create" },
      flags: {
        role: ["role"],
        expires: ["expires"],
        scope: ["scope", "scope of its user (default: your own scope)", "ORG/PROJECT[/USER]"],
      },
      examples: [
        "pml token create laptop",
        "pml token create ci --role reader --scope acme/web/ci --expires 30d",
      ],
      text: (answer) => textOf("create", answer),
    }),
    list: action({
      operation: pmlTokens,
      title: "List the tokens: role, scope, expiry, last use",
      implied: { action: "list" },
      without: ["name", "role", "scope", "expires"],
      examples: ["pml token list"],
      text: (answer) => textOf("list", answer),
    }),
    revoke: action({
      operation: pmlTokens,
      title: "Remove a token: requests with it are refused",
      takes: "name",
      of: "name",
      implied: { action: "revoke" },
      without: ["role", "scope", "expires"],
      examples: ["pml token revoke laptop"],
      text: (answer) => textOf("revoke", answer),
    }),
  },
);

type Answer = AnswerOf<"pml:tokens">;
type View = Extract<Answer, { readonly name: string }>;

function textOf(action: string, answer: Answer): string {
  if ("tokens" in answer) return listText(answer.tokens);
  const { name, role, scope, token: shown, expires_at: expires } = answer;
  if (action === "revoke" || shown === undefined)
    return `Revoked: ${name}. Requests with it are refused from now on`;
  const until = expires === undefined ? "It does not expire." : `It expires ${localTime(expires)}.`;
  return `${shown}

Created: ${name}, role ${role}, scope ${scope}. ${until}
Store it now: it is not shown again. Clients send it as "Authorization: Bearer TOKEN".`;
}

function listText(tokens: readonly View[]): string {
  if (tokens.length === 0) return pasteable("There are no tokens. `pml token create NAME` makes one.");
  const cells = tokens.map(({ name, role, scope, state, expires_at: expires, last_used_at: used }) =>
    [
      name,
      role,
      scope,
      expires === undefined ? "never" : state === "expired" ? "expired" : expires.slice(0, 10),
      used === undefined ? "never" : agoText(used),
    ].map(visible),
  );
  return table([["NAME", "ROLE", "SCOPE", "EXPIRES", "LAST USED"], ...cells], ANY_WIDTH);
}
