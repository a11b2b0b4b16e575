/**
 * {@link RecordingStore} on the table `capability_recordings`.
 *
 * @module
 */
import type { Fqdn } from "../registry/fqdn.js";
import {
  digestOf,
  isRecording,
  type KeptRecording,
  type Recording,
  type RecordingStore,
} from "../registry/recording.js";
import { OnDatabase, sql } from "./database.js";
import { storeAction } from "./sql-error.js";
import { toSqlText } from "./sql-text.js";

const OF = sql("recordings_of")`select version, digest, body from capability_recordings
    where capability_fqdn = $1 order by version, digest`;

const RECORDED = sql(
  "recordings_recorded",
)`select distinct capability_fqdn as fqdn from capability_recordings`;

const DROP = sql("recordings_drop")`delete from capability_recordings
    where capability_fqdn = $1 and version = $2 and not digest = any ($3::text[])`;

const ADD = sql(
  "recordings_add",
)`insert into capability_recordings (capability_fqdn, version, digest, body, made_by)
    values ($1, $2, $3, $4::json, $5) on conflict do nothing`;

interface RecordingRow {
  readonly version: number;
  readonly digest: string;
  readonly body: unknown;
}

export class PostgresRecordingStore extends OnDatabase implements RecordingStore {
  async recorded(): Promise<ReadonlySet<Fqdn>> {
    return await storeAction("read recordings", async () => {
      const { rows } = await this.database.query<{ readonly fqdn: Fqdn }>(RECORDED);
      return new Set(rows.map(({ fqdn }) => fqdn));
    });
  }

  async of(fqdn: Fqdn): Promise<readonly KeptRecording[]> {
    return await storeAction("read recordings", async () => {
      const { rows } = await this.database.query<RecordingRow>(OF, [fqdn]);
      return rows.flatMap(({ version, digest, body }) =>
        isRecording(body) ? [{ version, digest, recording: body }] : [],
      );
    });
  }

  async replace(
    fqdn: Fqdn,
    version: number,
    recordings: readonly Recording[],
    by: string,
  ): Promise<readonly KeptRecording[]> {
    const all = await Promise.all(
      recordings.map(async (recording) => ({ version, digest: await digestOf(recording), recording })),
    );
    await storeAction("save recordings", () =>
      this.database.transaction(async (transaction) => {
        await transaction.query(DROP, [fqdn, version, all.map(({ digest }) => digest)]);
        for (const { digest, recording } of all)
          await transaction.query(ADD, [fqdn, version, digest, JSON.stringify(recording), toSqlText(by)]);
      }),
    );
    return all;
  }
}
