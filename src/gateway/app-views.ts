/**
 * The dashboard's page inside of a client: MCP Apps (`io.modelcontextprotocol/ui`). A client that declares the extension
 * shows the page beside an answer of `pml_execute`: a run, or what waits for approval.
 *
 * The tools of the page are for the page alone. What it decides is bound to the answer that it was shown with: that
 * answer has a mark in its `_meta`, which models are not shown, and which only this installation can write. Where a PIN is
 * set, or the client is not a person's, there is no mark, and the page shows the command.
 *
 * @module
 */
import type {
  CallToolResult,
  ClientCapabilities,
  ReadResourceResult,
  Resource,
  Tool,
} from "@modelcontextprotocol/server";
import { isJsonObject } from "../base/json-object.js";
import type { Caller } from "../mcp/real-servers.js";
import { readMark, signedMark } from "./signed-mark.js";

const EXTENSION = "io.modelcontextprotocol/ui";
const HTML = "text/html;profile=mcp-app";
const RUN = "ui://pml/run";
const APPROVALS = "ui://pml/approvals";
/** Where an answer has the mark. */
const VIEW_META = "pml/view";
const SHOWN_WITH = "pml_execute";

const RESOURCES: readonly Resource[] = [
  { uri: RUN, name: "run", title: "A run of PML", mimeType: HTML },
  { uri: APPROVALS, name: "approvals", title: "What waits for approval", mimeType: HTML },
];

/** The page loads nothing and sends no requests: everything is in the file. */
const CONTENT_META = { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } };

export interface AppViewsParts {
  readonly html: () => Promise<string>;
  readonly secret: () => string;
  /** The tools of the page. */
  readonly tools: () => readonly Tool[];
}

export class AppViews {
  readonly #parts: AppViewsParts;

  constructor(parts: AppViewsParts) {
    this.#parts = parts;
  }

  /** What a client lists, with what is for the page, where it can show one. */
  tools(listed: readonly Tool[], capabilities: ClientCapabilities | undefined): readonly Tool[] {
    if (!showsApps(capabilities)) return listed;
    const linked = listed.map((tool) =>
      tool.name === SHOWN_WITH ? { ...tool, _meta: { ...tool._meta, ui: { resourceUri: RUN } } } : tool,
    );
    const own = this.#parts.tools().map((tool) => ({ ...tool, _meta: { ui: { visibility: ["app"] } } }));
    return [...linked, ...own];
  }

  resources(capabilities: ClientCapabilities | undefined): readonly Resource[] {
    return showsApps(capabilities) ? RESOURCES : [];
  }

  /** The page, where it is meant. */
  async read(uri: unknown): Promise<ReadResourceResult | undefined> {
    if (uri !== RUN && uri !== APPROVALS) return undefined;
    return { contents: [{ uri, mimeType: HTML, text: await this.#parts.html(), _meta: CONTENT_META }] };
  }

  /** An answer that waits, with what lets the page that is shown with it decide. */
  marked(result: CallToolResult, caller: Caller): CallToolResult {
    const { structuredContent, _meta } = result;
    if (!isJsonObject(structuredContent) || !showsApps(caller.capabilities)) return result;
    const { status, approval } = structuredContent;
    if (status !== "approval_required" || !isJsonObject(approval)) return result;
    const { workflowId, expiresAt } = approval;
    const ui = { resourceUri: APPROVALS };
    const isDecided = caller.mayDecide?.() === true;
    const view = isDecided
      ? { [VIEW_META]: viewMark(String(workflowId), String(expiresAt), this.#parts.secret()) }
      : {};
    return { ...result, _meta: { ..._meta, ui, ...view } };
  }
}

/** Not that of a question: neither can be used in place of the other. */
const USE = "view ";

/** The run that a mark is for, and the approval that was shown; undefined if this installation did not sign it. */
export function viewOf(
  mark: string,
  secret: string,
): { readonly workflowId: string; readonly shown: string } | undefined {
  const [workflowId, shown] = readMark(mark, secret, USE)?.split(" ") ?? [];
  return workflowId === undefined || shown === undefined ? undefined : { workflowId, shown };
}

function viewMark(workflowId: string, shown: string, secret: string): string {
  return signedMark(`${workflowId} ${shown}`, secret, USE);
}

function showsApps(capabilities: ClientCapabilities | undefined): boolean {
  const { extensions } = (capabilities ?? {}) as { readonly extensions?: Readonly<Record<string, unknown>> };
  const declared = extensions?.[EXTENSION];
  if (!isJsonObject(declared)) return false;
  const { mimeTypes } = declared;
  return mimeTypes === undefined || (Array.isArray(mimeTypes) && mimeTypes.includes(HTML));
}
