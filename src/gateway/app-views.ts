/**
 * The dashboard's page inside a client: MCP Apps (`io.modelcontextprotocol/ui`). A client that declares the extension
 * shows the page next to an answer of `pml_execute`: a run, or what waits for approval.
 *
 * Only the page may call its tools. Its decisions are bound to the answer that it was shown with: that answer carries a
 * mark in its `_meta`, which models do not see and which only this installation can write. If a PIN is set, or the
 * client is not a person's, there is no mark, and the page shows the command.
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
/** The key of the mark in `_meta`. */
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

  /** The listed tools, plus those of the page if the client can show one. */
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

  /** Returns the page if `uri` is its address. */
  async read(uri: unknown): Promise<ReadResourceResult | undefined> {
    if (uri !== RUN && uri !== APPROVALS) return undefined;
    return { contents: [{ uri, mimeType: HTML, text: await this.#parts.html(), _meta: CONTENT_META }] };
  }

  /** Adds the mark to an answer that waits, so that the page shown with it can decide. */
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

/** Differs from the use of a question's mark, so that neither can replace the other. */
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
