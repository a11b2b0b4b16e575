import type { VectorStore } from "../discovery/vector-index.js";
import { OnDatabase, sql } from "./database.js";
import { storeAction } from "./sql-error.js";
import { toSqlText } from "./sql-text.js";

// A vector that is used every day is marked only once a day: starting a gateway must not write every row that it reads.
const GET = sql("embeddings_get")`
    with asked as (select decode(hash, 'hex') as content_hash from unnest($2::text[]) as hash),
      used as (
        update embeddings set used_at = now() from asked
         where embeddings.model_id = $1 and embeddings.content_hash = asked.content_hash
           and embeddings.used_at < now() - interval '1 day')
    select encode(content_hash, 'hex') as hash, vector from embeddings join asked using (content_hash)
     where model_id = $1`;

// Ordered, so that two gateways that write the same vectors do not deadlock.
const PUT = sql("embeddings_put")`insert into embeddings (model_id, content_hash, vector)
    select $1, decode(one.hash, 'hex'), decode(one.vector, 'base64')
      from unnest($2::text[], $3::text[]) as one (hash, vector) order by one.hash
    on conflict (model_id, content_hash) do update set vector = excluded.vector, used_at = now()`;

/**
 * {@link VectorStore} on table `embeddings`. Each number of a unit vector is stored as a 16-bit fraction, which is half
 * the size: cosines change by at most 0.00003, and the order of results does not change.
 */
export class PostgresVectorStore extends OnDatabase implements VectorStore {
  async get(modelId: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Float32Array>> {
    if (hashes.length === 0) return new Map();
    return await storeAction("read vectors", async () => {
      const { rows } = await this.database.query<{ readonly hash: string; readonly vector: Uint8Array }>(
        GET,
        [toSqlText(modelId), [...new Set(hashes)]],
      );
      return new Map(rows.map(({ hash, vector }) => [hash, fromBytes(vector)]));
    });
  }

  async put(modelId: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void> {
    if (vectors.size === 0) return;
    await storeAction(`save ${vectors.size} vectors`, () =>
      this.database.query(PUT, [
        toSqlText(modelId),
        [...vectors.keys()],
        [...vectors.values()].map((vector) => toBytes(vector).toString("base64")),
      ]),
    );
  }

  async prune(unusedSince: Date): Promise<number> {
    return await storeAction("remove vectors", async () => {
      const { rowCount } = await this.database.query("delete from embeddings where used_at < $1", [
        unusedSince,
      ]);
      // PGlite has no autovacuum: without this, the space of removed vectors would never be reused.
      if (this.database.kind === "pglite" && rowCount > 0) await this.database.query("vacuum embeddings");
      return rowCount;
    });
  }
}

const MOST = 32_767;

function toBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.allocUnsafe(vector.length * 2);
  for (const [index, value] of vector.entries()) bytes.writeInt16LE(Math.round(value * MOST), index * 2);
  return bytes;
}

function fromBytes(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float32Array.from({ length: bytes.length / 2 }, (_, index) => view.getInt16(index * 2, true) / MOST);
}
