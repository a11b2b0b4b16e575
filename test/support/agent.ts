/** Calls PML's own tools through a client, as an agent does, and reads the answers. */
import type { CallToolResult } from "@modelcontextprotocol/client";
import { expect } from "vitest";
import type { TestClient } from "./test-client.js";

/** PML's own tools that agents get, in the order of a listing. */
export const OWN_TOOLS = [
  "pml_discover",
  "pml_execute",
  "pml_get_task_result",
  "pml_trace",
  "cap_curate",
  "cap_delete",
  "cap_fork",
  "cap_history",
  "cap_list",
  "cap_lookup",
  "cap_merge",
  "cap_rename",
  "cap_save",
  "cap_whois",
] as const;

export interface Told {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly [key: string]: unknown;
}

export interface Answer {
  readonly status: string;
  readonly mode: string;
  readonly result?: unknown;
  readonly capabilityId?: string;
  readonly capabilityName?: string;
  readonly capabilityFqdn?: string;
  readonly capabilityVersion?: number;
  readonly tasks?: readonly { readonly tool: string; readonly success: boolean }[];
  readonly warnings?: readonly string[];
  readonly error?: Told;
}

type Input = Readonly<Record<string, unknown>>;

/** Calls `pml_execute` with an arbitrary intent. */
export async function execute(client: TestClient, input: Input): Promise<Answer> {
  const result = await client.call("pml_execute", { intent: "see what happens", ...input });
  // Agents read a compact answer; the other data of the run is in `_meta`.
  const answer = {
    ...(result.structuredContent as object),
    ...(result._meta?.["pml/run"] as object),
  } as Answer;
  expect(result.isError === true).toBe(answer.status === "error");
  return answer;
}

export async function succeeds(client: TestClient, input: Input): Promise<Answer> {
  const answer = await execute(client, input);
  expect(answer.error).toBeUndefined();
  return answer;
}

export async function fails(client: TestClient, input: Input): Promise<Told> {
  const { error } = await execute(client, input);
  if (error === undefined) throw new Error(`Expected an error for ${JSON.stringify(input)}`);
  return error;
}

/** Calls one of PML's own tools, or a capability as a tool, that returns structured content. */
export async function ask(client: TestClient, tool: string, args: Input = {}): Promise<Input> {
  const result = await client.call(tool, args);
  expect(errorOf(result), tool).toBeUndefined();
  return result.structuredContent as Input;
}

export function errorOf({ isError, structuredContent, _meta }: CallToolResult): Told | undefined {
  if (isError !== true) return undefined;
  const { error } = (structuredContent ?? { error: _meta?.["pml/error"] }) as { error?: Told };
  return error ?? { code: "?", message: "no error" };
}

export const lookUp = (client: TestClient, name: string) => ask(client, "cap_lookup", { name });

export async function rename(client: TestClient, name: string, new_name: string): Promise<void> {
  await ask(client, "cap_rename", { name, new_name });
}

/** How often the server `work` has counted `id`. */
export async function counted(client: TestClient, id: string): Promise<number> {
  return (await ask(client, "work:seen", { id })).count as number;
}

export async function wireNames(client: TestClient): Promise<readonly string[]> {
  return (await client.tools()).map(({ name }) => name);
}
