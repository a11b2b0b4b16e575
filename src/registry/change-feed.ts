/**
 * Interface of the changes that other gateways on the same store make. An embedded store has one gateway, and
 * no feed.
 *
 * @module
 */
import type { Fqdn } from "./fqdn.js";
import type { ServerName } from "./tool-id.js";

export interface ChangeListener {
  /** These records have changed; the listener reads them from the store. */
  capabilitiesChanged(fqdns: readonly Fqdn[]): Promise<void>;
  /** Servers' records, trusted keys or HTTP tokens have changed. */
  serversChanged(): Promise<void>;
  keysChanged(): Promise<void>;
  /** Results of runs were dropped. The cache store knows which ones by these ids; without ids any may be affected. */
  cachesDropped?(ids: readonly string[] | undefined): Promise<void>;
  /** A person has accepted tools of these servers; of any server if none is named. */
  toolsChanged(servers?: readonly ServerName[]): Promise<void>;
  /** Runs or approvals of these projects (`org/project`) have changed, for people who watch them. */
  watchedChanged?(what: "run" | "approval", projects: readonly string[]): void;
  /** It is unknown what has changed: everything must be read again. */
  allChanged(): Promise<void>;
}

/** Changes of everything except capabilities. */
export type OtherChanges = Omit<ChangeListener, "capabilitiesChanged" | "allChanged">;

export interface ChangeFeed {
  /** Call it before the first read of the store. Once it resolves, no later change is missed. */
  start(listener: ChangeListener): Promise<void>;
  /**
   * Returns at once if memory is at most a second behind the store. Otherwise resolves when memory has caught
   * up, or when that has failed; then only memory is available.
   */
  fresh(): Promise<void> | undefined;
  stop(): Promise<void>;
}
