import type { Migration } from "../migrate.js";

/** Which tools runs call one after the other, and the adaptive thresholds. */
export const graph: Migration = {
  id: "0016-graph",
  statements: [
    // The value of uses halves with each later period.
    `create table tool_sequence (
       from_id    text collate "C" not null,
       to_id      text collate "C" not null,
       uses       double precision not null check (uses > 0),
       period     integer not null,
       updated_at timestamptz not null default clock_timestamp(),
       primary key (from_id, to_id)
     )`,
    "create index tool_sequence_updated_at on tool_sequence (updated_at)",
    `create table adaptive_threshold (
       org        text collate "C" not null,
       project    text collate "C" not null,
       kind       text collate "C" not null,
       threshold  double precision not null check (threshold between 0 and 1),
       successes  bigint not null default 0,
       failures   bigint not null default 0,
       updated_at timestamptz not null default clock_timestamp(),
       primary key (org, project, kind)
     )`,
  ],
};
