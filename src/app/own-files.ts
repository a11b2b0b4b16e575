/**
 * Finds texts in the arguments of a call that refer to one of PML's own files for the called server.
 *
 * A text is resolved as servers do it: against each root of the server, following links. This is best effort: a server
 * may build a path from its arguments in unknown ways. The work is limited: a text costs one file system access per
 * root, since any name can be a link, and one more for each existing part of it.
 *
 * @module
 */
import { lstatSync, readlinkSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, parse, resolve, sep } from "node:path";
import type { Json } from "../base/canonical-json.js";
import { LIMITS } from "../base/limits.js";
import type { OwnFileCheck } from "../execution/prepare/own-files.js";
import type { ServerName } from "../registry/tool-id.js";
import { realPath } from "./places.js";

/** PML's own places: the directories with their whole content, and the files. */
export interface OwnPlaces {
  readonly directories: readonly string[];
  readonly files: readonly string[];
}

/** Returns the target of a link, or `entry` for a file or directory; undefined if the path does not exist. */
export type LinkView = (path: string) => { readonly link: string } | "entry" | undefined;

const COMPONENT_CHARS = 255;
const PATH_CHARS = 4_096;
/** A part of a path that is too long, with any separator. */
const TOO_LONG = /[^/\\\0?#]{256}/;
const LINKS_FOLLOWED = 40;
const TOLD_CHARS = 200;
/** The meaning of these paths depends on the reading process. */
const OF_A_PROCESS = /^\/(proc\/[^/]+\/(task\/[^/]+\/)?(root|cwd|fd)|dev\/fd)(\/|$)/;
const URL_FORM = /^[a-z][a-z0-9+.-]*:(?:\/\/[^/]*)?(.*)$/is;
/** Matches most texts, which need no cleaning: no space, quote or `~` to remove, no URL, no other separator. */
const READ_AS_IT_IS = /^(?![\s"'~])[^\0:\\]*(?<![\s"'])$/;
/** Such a text without a separator, and not `.` or `..`. */
const ONE_NAME = /^(?![\s"'~]|\.\.?$)[^\0:\\/]{1,255}(?<![\s"'])$/;
/** A key of an object is checked only if it looks like a part of a path. */
const PATH_KEY = /[./\\~]/;
const FOLDS_CASE = process.platform === "darwin" || process.platform === "win32";

export function ownFileCheck(
  places: OwnPlaces,
  roots: ReadonlyMap<ServerName, readonly string[]>,
  { home = homedir(), look = lookAt }: { readonly home?: string; readonly look?: LinkView } = {},
): OwnFileCheck {
  const own = new PlaceSet(places);
  const servers = new Map(
    Array.from(roots, ([server, paths]) => [
      server,
      {
        roots: [...new Set(paths.map((path) => realPath(path)))],
        isNear: paths.some((path) => own.isNear(path)),
      },
    ]),
  );
  const nowhere = { roots: [], isNear: false };
  return (server, value) => {
    const at = servers.get(server) ?? nowhere;
    let count = 0;
    for (const text of textsOf(value)) {
      count += 1;
      if (count > LIMITS.callTextsChecked)
        return at.isNear ? `more than ${LIMITS.callTextsChecked} texts` : undefined;
      if (isOwn(text, at.roots)) return text.slice(0, TOLD_CHARS);
    }
    return undefined;
  };

  function isOwn(text: string, from: readonly string[]): boolean {
    if (ONE_NAME.test(text)) return from.some((root) => isOwnEntry(text, root));
    const isLong = text.length > LIMITS.callTextCheckedChars;
    if (isLong && own.isNamedIn(text)) return true;
    return readings(text, home).some((read) => {
      const path = isLong ? shortened(read) : read;
      if (path === undefined) return false;
      // Most long texts are content: no system has a file with such a long name, and without `..` nothing removes that
      // part again.
      if (path.length > COMPONENT_CHARS && !path.includes("..") && TOO_LONG.test(path)) return false;
      return isAbsolute(path) ? reaches(path, parse(path).root) : from.some((root) => reaches(path, root));
    });
  }

  /** The same as `reaches` for a single name, the most frequent case: only a link leads elsewhere. */
  function isOwnEntry(name: string, root: string): boolean {
    const path = root.endsWith(sep) ? root + name : root + sep + name;
    if (own.has(path) || OF_A_PROCESS.test(path)) return true;
    return typeof look(path) === "object" && reaches(name, root);
  }

  function reaches(path: string, root: string): boolean {
    const plain = resolve(root, path);
    if (own.has(plain) || OF_A_PROCESS.test(plain)) return true;
    // Servers remove `..` from a path either before they follow its links, or while they do.
    const ways = path.includes("..") || path.length > PATH_CHARS ? [plain, path] : [path];
    return ways.some((one) => {
      const real = one.length > PATH_CHARS ? undefined : followed(one, root, look);
      return real !== undefined && real !== plain && own.has(real);
    });
  }
}

/** The paths that servers may read a text as. */
function readings(text: string, home: string): readonly string[] {
  if (READ_AS_IT_IS.test(text)) return [text];
  const found = new Set([text, text.trim().replace(/^["']|["']$/g, "")]);
  for (const one of [...found]) {
    if (one.includes("\0")) found.add(one.slice(0, one.indexOf("\0")));
    if (one === "~" || /^~[/\\]/.test(one)) found.add(join(home, one.slice(1)));
    const url = one.includes(":") ? URL_FORM.exec(one.replace(/[\t\r\n]/g, ""))?.[1] : undefined;
    if (url !== undefined) {
      const path = url.replace(/[?#].*$/s, "");
      found.add(path).add(decoded(path));
      // file:///C:/x
      if (/^\/[a-z]:/i.test(path)) found.add(decoded(path.slice(1)));
      const parsed = filePath(one);
      if (parsed !== undefined) found.add(parsed);
    }
    if (sep === "/" && one.includes("\\")) found.add(one.replaceAll("\\", "/"));
  }
  return [...found];
}

/**
 * A path as servers normalise it: without `.`, empty parts, and `..` with the part before it. Undefined if the rest is
 * longer than any system allows, because then the text is content, not a path.
 */
function shortened(text: string): string | undefined {
  const path = sep === "\\" ? text.replaceAll("\\", "/") : text;
  const kept: string[] = [];
  let ups = 0;
  let length = 0;
  for (let end = path.length; end >= 0; ) {
    const slash = end === 0 ? -1 : path.lastIndexOf("/", end - 1);
    const part = path.slice(slash + 1, end);
    end = slash;
    if (part === "..") ups += 1;
    else if (part === "" || part === ".") continue;
    else if (ups > 0) ups -= 1;
    else {
      kept.push(part);
      length += part.length + 1;
      if (length > PATH_CHARS) return undefined;
    }
  }
  const from = path.startsWith("/") ? "/" : "../".repeat(Math.min(ups, PATH_CHARS));
  return from + kept.reverse().join("/");
}

/** Parsed as a URL: without tabs and line breaks, with `\\` as `/`, and `%2e%2e` as `..`. */
function filePath(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "file:") return undefined;
  const path = decoded(url.pathname);
  return /^\/[a-z]:/i.test(path) && sep === "\\" ? path.slice(1) : path;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The path with links followed, as far as it exists; undefined if there are no links, or no system would accept it. */
function followed(path: string, from: string, look: LinkView): string | undefined {
  const { root } = parse(path);
  let at = root === "" ? from : root;
  let isThere = true;
  let links = 0;
  const parts = path
    .slice(root.length)
    .split(sep === "\\" ? /[\\/]/ : "/")
    .reverse();
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    if (part === "" || part === ".") continue;
    if (part.length > COMPONENT_CHARS) return undefined;
    if (part === "..") {
      at = dirname(at);
      continue;
    }
    const next = join(at, part);
    const found = isThere ? look(next) : undefined;
    // Without a link so far, the path is the literal one, which the caller has already compared.
    if (found === undefined && links === 0) return undefined;
    if (found === undefined) isThere = false;
    if (found === undefined || found === "entry") {
      at = next;
      continue;
    }
    links += 1;
    if (links > LINKS_FOLLOWED) return undefined;
    const { root: linkRoot } = parse(found.link);
    if (linkRoot !== "") at = linkRoot;
    parts.push(...found.link.slice(linkRoot.length).split(sep).reverse());
  }
  return at;
}

function lookAt(path: string): ReturnType<LinkView> {
  // Other machines are not accessed.
  if (path.startsWith("\\\\")) return undefined;
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    return stat.isSymbolicLink() ? { link: readlinkSync(path) } : "entry";
  } catch {
    return undefined;
  }
}

function* textsOf(value: Json): Generator<string> {
  const left: Json[] = [value];
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    if (typeof one === "string") yield one;
    else if (Array.isArray(one)) for (const item of one) left.push(item);
    else if (typeof one === "object" && one !== null) {
      for (const [key, item] of Object.entries(one)) {
        if (PATH_KEY.test(key)) yield key;
        left.push(item as Json);
      }
    }
  }
}

/** The places, both as named and by real path. */
class PlaceSet {
  readonly #directories: readonly string[];
  readonly #files: readonly string[];

  constructor({ directories, files }: OwnPlaces) {
    const both = (paths: readonly string[]) => [
      ...new Set(paths.flatMap((path) => [folded(resolve(path)), folded(realPath(path))])),
    ];
    this.#directories = both(directories);
    this.#files = both(files);
  }

  has(path: string): boolean {
    const one = folded(path);
    return this.#files.includes(one) || this.#directories.some((directory) => lies(one, directory));
  }

  /** Whether the path is inside one of them, or contains one of them. */
  isNear(path: string): boolean {
    return this.has(path) || this.in(path).length > 0;
  }

  /** The places inside a directory. */
  in(directory: string): readonly string[] {
    const within = [folded(resolve(directory)), folded(realPath(directory))];
    return [...this.#files, ...this.#directories].filter((place) => within.some((one) => lies(place, one)));
  }

  isNamedIn(text: string): boolean {
    const one = folded(text);
    return [...this.#files, ...this.#directories].some((place) => one.includes(basename(place)));
  }
}

function lies(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

/** Systems and servers may treat names as equal that differ in case or in Unicode normalization. */
function folded(path: string): string {
  const one = path.normalize("NFC");
  // Some small letters share a capital: `ſ` equals `s` if case is ignored.
  return FOLDS_CASE ? one.toUpperCase().toLowerCase() : one;
}

/** A server that was given a directory with some of PML's own files in it. */
export interface ExposedFiles {
  readonly server: string;
  readonly root: string;
  readonly file: string;
}

/** `given` are the configured directories of each server. */
export function exposedFiles(
  given: ReadonlyMap<string, readonly string[]>,
  places: OwnPlaces,
): readonly ExposedFiles[] {
  const own = new PlaceSet(places);
  return Array.from(given).flatMap(([server, roots]) =>
    roots.flatMap((root) =>
      own
        .in(root)
        .slice(0, 1)
        .map((file) => ({ server, root, file })),
    ),
  );
}
