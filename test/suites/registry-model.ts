/**
 * A model of the registry's rules (identity, names, versions, trust, sharing) over one plain list, to compare a store
 * and its memory with. It is written from the specification and shares no code with them: searching is a loop, and
 * there is no index, lock or cache that could be wrong.
 */
import { createHash } from "node:crypto";

export interface Session {
  readonly org: string;
  readonly project: string;
  readonly user: string;
}

export type Sight = "private" | "project" | "org" | "public";

interface Trust {
  state: "unproven" | "provisional" | "verified" | "suspect";
  firstArgs: string;
  failures: number;
}

interface Version {
  readonly code: string;
  readonly tag: string | undefined;
  readonly trust: Trust;
  /** The user who made it. */
  readonly by: string;
}

/** One capability from its creation on; deleted ones stay in the list. */
export interface Modelled {
  readonly org: string;
  readonly project: string;
  readonly label: string;
  readonly fqdn: string;
  /** Given by the store. */
  id: string;
  name: string;
  aliases: string[];
  readonly versions: Version[];
  creators: string[];
  visibility: Sight;
  readonly isFork: boolean;
  uses: number;
  successes: number;
  /** `reserved`: deleted, but can be restored. `over`: deleted, and its names are free. */
  state: "live" | "reserved" | "over";
}

export interface Lesson {
  readonly code: string;
  readonly name: string | undefined;
  readonly update: boolean;
  readonly tag: string | undefined;
  readonly isFork: boolean;
  /** Missing for code that was saved and not run. */
  readonly args: string | undefined;
}

export class ModelError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const FIRST_DIGITS = { fqdn: 4, unnamed: 8 };

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

const fold = (name: string): string => name.toLowerCase().replace(/[-_]/g, "");

const isUnnamed = ({ name }: Modelled): boolean => /^unnamed_[0-9a-f]{8,}$/.test(name);

const creator = ({ user, org }: Session): string => `${user}@${org}`;

/** `a:b:c` is action `b_c` in namespace `a`; a name without a namespace gets that of the tools. */
function labelOf({ org, project }: Session, name: string): string {
  const [first = "", ...rest] = name.toLowerCase().split(":");
  const [namespace, action] = rest.length === 0 ? ["fs", first] : [first, rest.join("_")];
  return `${org}.${project}.${namespace}.${action}`;
}

export function canSee(one: Modelled, session: Session): boolean {
  const isOrg = one.org === session.org;
  if (one.visibility === "public") return true;
  if (one.visibility === "org") return isOrg;
  if (one.visibility === "project") return isOrg && one.project === session.project;
  return one.creators.includes(creator(session));
}

function mayChange(one: Modelled, session: Session): boolean {
  const isHere = one.org === session.org && one.project === session.project;
  return canSee(one, session) && (isHere || one.creators.includes(creator(session)));
}

export class RegistryModel {
  readonly all: Modelled[] = [];

  /**
   * The holder of a name in a project, as its name or as an alias; a deleted capability keeps its names while they are
   * reserved.
   */
  holder({ org, project }: Pick<Session, "org" | "project">, name: string): Modelled | undefined {
    return this.all.find(
      (one) =>
        one.org === org &&
        one.project === project &&
        one.state !== "over" &&
        [one.name, ...one.aliases].some((its) => fold(its) === fold(name)),
    );
  }

  learn(session: Session, lesson: Lesson): { one: Modelled; version: number; kind: string } {
    const { code, name, update, isFork } = lesson;
    const known = this.#known(session, code);
    const best = known.find((one) => !isUnnamed(one)) ?? known[0];
    const holder = name === undefined ? undefined : this.holder(session, name);
    const counted = (one: Modelled, kind: string) => {
      const version = one.versions.map((its) => its.code).lastIndexOf(code) + 1;
      if (lesson.args !== undefined) this.use(one, version, session, true, lesson.args);
      return { one, version, kind };
    };
    if (holder === undefined) {
      if (best === undefined || isFork) return counted(this.#create(session, lesson), "created");
      if (name === undefined || !isUnnamed(best)) return counted(best, "known");
      this.#move(best, name);
      if (best.visibility === "private") best.visibility = "project";
      return counted(best, "named");
    }
    const isOwn = known.includes(holder) && !isFork;
    const isNewest = holder.versions.at(-1)?.code === code;
    if (isOwn && (!update || isNewest || !canSee(holder, session))) return counted(holder, "known");
    if (holder.state !== "live" || !update || isFork || !canSee(holder, session))
      throw nameTaken(name, holder, session);
    if (!isOwn && best !== undefined && !isUnnamed(best)) return counted(best, "known");
    const bare = (tag: string | undefined) => tag?.replace(/^v/, "");
    const taken = holder.versions.findIndex(({ tag }) => tag !== undefined && bare(tag) === bare(lesson.tag));
    if (taken >= 0)
      throw new ModelError(
        "TAG_TAKEN",
        `Cannot tag a version of ${holder.name} as ${lesson.tag}: version ${taken + 1} has that tag`,
      );
    holder.versions.push({ code, tag: lesson.tag, trust: unproven(), by: creator(session) });
    return counted(holder, "updated");
  }

  rename(one: Modelled, session: Session, name: string | undefined, visibility: Sight | undefined): void {
    this.#change(one, session);
    const holder = name === undefined ? undefined : this.holder(one, name);
    if (holder !== undefined && holder !== one) throw nameTaken(name, holder, session);
    const isFirst = isUnnamed(one) && name !== undefined && one.visibility === "private";
    if (name !== undefined) this.#move(one, name);
    one.visibility = visibility ?? (isFirst ? "project" : one.visibility);
  }

  delete(one: Modelled, session: Session): void {
    this.#change(one, session);
    one.state = "reserved";
  }

  undelete(one: Modelled, session: Session): void {
    this.#change(one, session);
    const [first] = one.versions;
    const same = this.all.find(
      (other) =>
        other.org === one.org &&
        other.project === one.project &&
        other.state === "live" &&
        !other.isFork &&
        other.versions[0]?.code === first?.code,
    );
    if (same !== undefined && !one.isFork)
      throw new ModelError("CAPABILITY_EXISTS", `Cannot undelete ${one.name}: the same code is`);
    one.state = "live";
  }

  use(one: Modelled, version: number, session: Session, success: boolean, args: string): void {
    const trust = one.versions[version - 1]?.trust;
    if (trust === undefined) return;
    one.uses += 1;
    if (success) one.successes += 1;
    if (isUnnamed(one) && !one.creators.includes(creator(session))) one.creators.push(creator(session));
    if (!success) {
      trust.failures += 1;
      if (trust.failures >= 3) trust.state = "suspect";
      return;
    }
    trust.failures = 0;
    if (trust.state === "unproven" || trust.state === "suspect")
      Object.assign(trust, { state: "provisional", firstArgs: args });
    else if (trust.state === "provisional" && trust.firstArgs !== args) trust.state = "verified";
  }

  verify(one: Modelled, version: number): void {
    if (one.state !== "live") throw new ModelError("CAPABILITY_NOT_FOUND", "");
    const trust = one.versions[version - 1]?.trust;
    if (trust === undefined)
      throw new ModelError("VERSION_NOT_FOUND", `Version ${version} not found for ${one.fqdn}`);
    Object.assign(trust, { state: "verified", failures: 0 });
  }

  /** Resolves a reference for a session; `alias` is set if it was an alias. */
  find(text: string, session: Session): { one: Modelled; version: number; alias: string | undefined } {
    const at = text.indexOf("@");
    const [written, spec] = at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
    const found = this.#resolve(written, session, "live");
    if (found === undefined) {
      const deleted = this.#resolve(written, session, "reserved")?.one;
      if (deleted === undefined)
        throw new ModelError("CAPABILITY_NOT_FOUND", `Capability not found: ${text}`);
      throw new ModelError("CAPABILITY_DELETED", `Capability ${deleted.name} was deleted on DAY`);
    }
    const version = versionOf(found.one.versions, spec, latestFor(found.one, session));
    if (version === 0)
      throw new ModelError(
        "VERSION_NOT_FOUND",
        `Version ${spec} not found for ${written.replace(/^cap:/, "")}`,
      );
    return { ...found, version };
  }

  /** Finds a deleted capability that can be restored. */
  findDeleted(text: string, session: Session): Modelled {
    const found = this.#resolve(text, session, "live") ? undefined : this.#resolve(text, session, "reserved");
    if (found === undefined) throw new ModelError("CAPABILITY_NOT_FOUND", `Nothing to undelete: ${text}`);
    return found.one;
  }

  #resolve(
    words: string,
    session: Session,
    state: Modelled["state"],
  ): { one: Modelled; alias: string | undefined } | undefined {
    const text = words.replace(/^cap:/, "");
    const there = this.all.filter((one) => one.state === state && canSee(one, session));
    const labelled = there.filter(({ label }) => label === text);
    const called = labelled.filter((one) => labelOf({ ...one, user: "" }, one.name) === one.label);
    const [byIdentity] =
      labelled.length > 1
        ? called.length === 1
          ? called
          : []
        : [...labelled, ...there.filter(({ fqdn, id }) => fqdn === text || id === text.toLowerCase())];
    if (byIdentity !== undefined) return { one: byIdentity, alias: undefined };
    const scoped = /^([a-z0-9_-]+)\.([a-z0-9_-]+):(.+)$/.exec(text);
    const [org, project, name] = scoped?.slice(1) ?? [session.org, session.project, text];
    for (const one of there.filter((its) => its.org === org && its.project === project)) {
      if (fold(one.name) === fold(name ?? "")) return { one, alias: undefined };
      const alias = one.aliases.find((its) => fold(its) === fold(name ?? ""));
      if (alias !== undefined) return { one, alias };
    }
    return undefined;
  }

  #change(one: Modelled, session: Session): void {
    if (!mayChange(one, session))
      throw new ModelError("NOT_ALLOWED", `${one.name} belongs to ${one.org}.${one.project}`);
  }

  /** Live capabilities of the project with this code in any version: forks last, otherwise the oldest first. */
  #known({ org, project }: Session, code: string): Modelled[] {
    const known = this.all.filter(
      (one) =>
        one.org === org &&
        one.project === project &&
        one.state === "live" &&
        one.versions.some((its) => its.code === code),
    );
    return [...known.filter(({ isFork }) => !isFork), ...known.filter(({ isFork }) => isFork)];
  }

  #create(session: Session, { code, name, tag, isFork }: Lesson): Modelled {
    const { org, project } = session;
    const hash = sha256(code);
    let digits = FIRST_DIGITS.unnamed;
    while (this.holder(session, `unnamed_${hash.slice(0, digits)}`) !== undefined) digits += 4;
    const label = labelOf(session, name ?? `exec_${hash.slice(0, FIRST_DIGITS.unnamed)}`);
    let short = FIRST_DIGITS.fqdn;
    while (this.all.some(({ fqdn }) => fqdn === `${label}.${hash.slice(0, short)}`)) short += 4;
    const one: Modelled = {
      org,
      project,
      label,
      fqdn: `${label}.${hash.slice(0, short)}`,
      id: "",
      name: name ?? `unnamed_${hash.slice(0, digits)}`,
      aliases: [],
      versions: [{ code, tag, trust: unproven(), by: creator(session) }],
      creators: [creator(session)],
      visibility: name === undefined ? "private" : "project",
      isFork,
      uses: 0,
      successes: 0,
      state: "live",
    };
    this.#free(one, one.name);
    this.all.push(one);
    return one;
  }

  /** Removes this alias from capabilities whose names are free. */
  #free({ org, project }: Modelled, name: string): void {
    for (const one of this.all)
      if (one.org === org && one.project === project && one.state === "over")
        one.aliases = one.aliases.filter((alias) => fold(alias) !== fold(name));
  }

  /** The name must be free, or belong to the capability itself. */
  #move(one: Modelled, name: string): void {
    this.#free(one, name);
    const former = one.name;
    one.name = name;
    one.aliases = one.aliases.filter((alias) => fold(alias) !== fold(name));
    if (fold(former) !== fold(name)) one.aliases.push(former);
  }
}

function unproven(): Trust {
  return { state: "unproven", firstArgs: "", failures: 0 };
}

/** The number of the version that `spec` means; 0 if there is none. */
function versionOf(versions: readonly Version[], spec: string | undefined, latest: number): number {
  if (spec === undefined || spec === "latest") return latest;
  if (/^[1-9]\d*$/.test(spec)) return Number(spec) <= versions.length ? Number(spec) : 0;
  // All of these histories happen today.
  if (/^\d{4}-\d\d-\d\d$/.test(spec)) return spec > "2900" ? latest : 0;
  const wanted = /^v(\d+(?:\.\d+){0,2})$/.exec(spec)?.[1];
  if (wanted === undefined) return versions.map(({ tag }) => tag).lastIndexOf(spec) + 1;
  const isTagged = ({ tag = "" }: Version) =>
    !tag.includes("-") && `${tag.replace(/^v/, "")}.`.startsWith(`${wanted}.`);
  const tagged = versions.findLastIndex(isTagged) + 1;
  if (tagged > 0 || wanted.includes(".")) return tagged;
  return Number(wanted) <= versions.length ? Number(wanted) : 0;
}

/** The newest version that the user has made; otherwise the first, because nothing is promoted here. */
export function latestFor({ versions }: Modelled, session: Session): number {
  const own = versions.findLastIndex(({ by }, index) => index > 0 && by === creator(session));
  return Math.max(own, 0) + 1;
}

/** Everything that the tests compare, for the newest version or the given one. */
export function shownModel(one: Modelled, version = one.versions.length): string {
  const newest = one.versions[version - 1];
  return [
    one.fqdn,
    one.name,
    `aliases=${[...one.aliases].sort((a, b) => (a < b ? -1 : 1)).join(",")}`,
    `v${version}`,
    `tag=${newest?.tag}`,
    newest?.trust.state,
    `used=${one.successes}/${one.uses}`,
    one.visibility,
    `by=${one.creators.join(",")}`,
    one.isFork ? "fork" : "own",
    one.state === "live" ? "live" : "deleted",
  ].join(" ");
}

/** The message names the holder if it is not the requested name and the session may see the holder. */
function nameTaken(name: string | undefined, holder: Modelled, session: Session): ModelError {
  const who = canSee(holder, session) && holder.name !== name ? `: ${holder.name} has it` : "";
  return new ModelError(
    "NAME_TAKEN",
    `Capability name '${name}' already exists in scope ${holder.org}.${holder.project}${who}`,
  );
}
