/**
 * The files of the page: found beside this module, read and compressed once, with headers that isolate the page.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** The output of the build. The graph is loaded by the page that draws it. */
const FILES = ["index.html", "graph.js"] as const;
export type PageFile = (typeof FILES)[number];

const TYPES: Readonly<Record<PageFile, string>> = {
  "index.html": "text/html; charset=utf-8",
  "graph.js": "text/javascript; charset=utf-8",
};

/** For every answer to a browser. */
export const SAFE_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cache-control": "no-store",
} as const;

/** With a higher quality, compressing takes longer than it saves; it is done once per gateway. */
const BROTLI_QUALITY = 9;

interface ReadFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly plain: Buffer;
  readonly packed: { readonly br: Promise<Buffer>; readonly gzip: Promise<Buffer> };
}

export class PageFiles {
  readonly #directory: URL;
  readonly #read = new Map<PageFile, Promise<ReadFile | undefined>>();

  constructor(directory: URL = new URL("./", import.meta.url)) {
    this.#directory = directory;
  }

  /** The file for a path of the page; any path without an extension is a page. */
  fileOf(path: string): PageFile | undefined {
    const name = path.slice(1);
    if (FILES.includes(name as PageFile)) return name as PageFile;
    return /\.[^/]*$/.test(path) ? undefined : "index.html";
  }

  /** The page as text, for views inside MCP clients. */
  async html(): Promise<string> {
    return (await this.#file("index.html"))?.plain.toString("utf8") ?? NOT_BUILT;
  }

  /** Returns whether the file exists. */
  async send(req: IncomingMessage, res: ServerResponse, name: PageFile, status = 200): Promise<boolean> {
    const file = await this.#file(name);
    if (file === undefined) return false;
    const wanted = String(req.headers["accept-encoding"] ?? "");
    const coding = /\bbr\b/.test(wanted) ? "br" : /\bgzip\b/.test(wanted) ? "gzip" : undefined;
    const body = coding === undefined ? file.plain : await file.packed[coding];
    res.writeHead(status, {
      ...file.headers,
      "content-length": body.length,
      vary: "accept-encoding",
      ...(coding === undefined ? {} : { "content-encoding": coding }),
    });
    res.end(req.method === "HEAD" ? undefined : body);
    return true;
  }

  #file(name: PageFile): Promise<ReadFile | undefined> {
    const known = this.#read.get(name) ?? this.#load(name);
    this.#read.set(name, known);
    return known;
  }

  async #load(name: PageFile): Promise<ReadFile | undefined> {
    const path = fileURLToPath(new URL(name, this.#directory));
    const found = await readFile(path).catch(() => undefined);
    if (found === undefined && name !== "index.html") return undefined;
    const plain = found ?? Buffer.from(NOT_BUILT);
    const pack = { br: packBrotli(plain), gzip: promisify(gzip)(plain) };
    // A caller that waits for one of them gets its error; the other's error is ignored.
    for (const packing of Object.values(pack)) packing.catch(() => {});
    return {
      plain,
      packed: pack,
      headers: {
        ...SAFE_HEADERS,
        "content-type": TYPES[name],
        ...(name === "index.html" ? { "content-security-policy": policyOf(plain.toString("utf8")) } : {}),
      },
    };
  }
}

function packBrotli(plain: Buffer): Promise<Buffer> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  return promisify<Buffer, object, Buffer>(brotliCompress)(plain, { params });
}

/** The content security policy: scripts and styles of the file itself only, and requests to this gateway only. */
export function policyOf(html: string): string {
  return [
    "default-src 'none'",
    ["script-src 'self'", ...hashesOf(html, "script")].join(" "),
    ["style-src 'self'", ...hashesOf(html, "style")].join(" "),
    "connect-src 'self'",
    "img-src 'self' data:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

function hashesOf(html: string, element: "script" | "style"): readonly string[] {
  const inline = new RegExp(`<${element}\\b(?![^>]*\\bsrc=)[^>]*>([\\s\\S]*?)</${element}>`, "g");
  return Array.from(html.matchAll(inline), ([, text = ""]) => {
    // Browsers hash the parsed text, in which a line break is \n.
    const hash = createHash("sha256").update(text.replace(/\r\n?/g, "\n")).digest("base64");
    return `'sha256-${hash}'`;
  });
}

/** For a checkout where only the gateway was compiled. */
const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>PML</title>
<h1>PML</h1>
<p>The page was not built. Run <code>npm run build</code>, then <code>pml open</code>.</p>
</html>
`;
