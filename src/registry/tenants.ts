/**
 * Tenants: projects that use this gateway with a token for another project than the gateway's own. All users
 * share what is learnt about tools. So nothing is learnt from tenants, and they see none of it.
 *
 * @module
 */
import type { Scope } from "./scope.js";

export class Tenants {
  readonly #own: string;
  readonly #seen = new Set<string>();

  constructor(own: Scope) {
    this.#own = keyOf(own);
  }

  /** Must be called before anything is done for a token of this scope. */
  note(scope: Scope): void {
    if (!this.isOwn(scope)) this.#seen.add(keyOf(scope));
  }

  /** Whether it is the project that the gateway is configured for. */
  isOwn(scope: Scope): boolean {
    return keyOf(scope) === this.#own;
  }

  has(scope: Scope): boolean {
    return this.#seen.has(keyOf(scope));
  }
}

function keyOf({ org, project }: Scope): string {
  return `${org}/${project}`;
}
