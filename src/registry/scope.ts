import { PmlError } from "../base/pml-error.js";

/** Determines which names and capabilities a session sees. */
export interface Scope {
  readonly org: string;
  readonly project: string;
  readonly user: string;
}

const PART = /^[a-z0-9_-]{1,64}$/;

/** Reads `ORG/PROJECT[/USER]`; missing parts come from `defaults`. */
export function parseScope(text: string, defaults: Scope): Scope {
  const [org, project, user = defaults.user, ...rest] = text.split("/");
  if (org === undefined || project === undefined || rest.length > 0) {
    throw new PmlError(
      "USAGE",
      `Cannot read scope ${JSON.stringify(text)}: expected ORG/PROJECT or ORG/PROJECT/USER`,
    );
  }
  return checkedScope({ org, project, user });
}

export function checkedScope(scope: Scope): Scope {
  for (const [part, value] of [
    ["org", scope.org],
    ["project", scope.project],
  ] as const) {
    if (!PART.test(value)) {
      throw new PmlError(
        "NAME_INVALID",
        `Cannot use ${JSON.stringify(value)} as ${part}: expected 1 to 64 of a-z, 0-9, '_' and '-'`,
      );
    }
  }
  if (!/^[A-Za-z0-9_.@-]{1,64}$/.test(scope.user)) {
    throw new PmlError(
      "NAME_INVALID",
      `Cannot use ${JSON.stringify(scope.user)} as user: expected 1 to 64 letters, digits, '_', '.', '@' and '-'`,
    );
  }
  return scope;
}

export function formatScope({ org, project, user }: Scope): string {
  return `${org}/${project}/${user}`;
}
