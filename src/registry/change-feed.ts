/**
 * The port to what other gateways on the same store have changed. An embedded store has one gateway, and no feed.
 *
 * @module
 */
import type { Fqdn } from "./fqdn.js";
import type { ServerName } from "./tool-id.js";

export interface ChangeListener {
  /** These records are not what they were; the listener asks the store what they are. */
  capabilitiesChanged(fqdns: readonly Fqdn[]): Promise<void>;
  /** Servers' records; or keys that are trusted, or tokens for HTTP. */
  serversChanged(): Promise<void>;
  keysChanged(): Promise<void>;
  /** Results of runs were dropped: the store of caches knows which by these ids, all may be meant without them. */
  cachesDropped?(ids: readonly string[] | undefined): Promise<void>;
  /** A person has accepted tools of these servers; of any server if none is named. */
  toolsChanged(servers?: readonly ServerName[]): Promise<void>;
  /** Runs or approvals of these projects (`org/project`), for people who watch them. */
  watchedChanged?(what: "run" | "approval", projects: readonly string[]): void;
  /** It is unknown what has changed: everything must be read again. */
  allChanged(): Promise<void>;
}

/** What changes beside capabilities. */
export type OtherChanges = Omit<ChangeListener, "capabilitiesChanged" | "allChanged">;

export interface ChangeFeed {
  /** Before anything is read from the store: nothing that is written from then on is missed. Resolves when that holds. */
  start(listener: ChangeListener): Promise<void>;
  /**
   * Resolves at once while memory is at most a second behind the store, else when it has caught up, or when that has
   * failed: then memory is all there is.
   */
  fresh(): Promise<void> | undefined;
  stop(): Promise<void>;
}
