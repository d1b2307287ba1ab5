import type { ProjectionKey } from "../../../model/projection.ts";
import type { Chunk, ChunkRequest } from "../../chunk.ts";
import type { FoundProjection } from "../../store.ts";
import { standBack } from "../../../workers/low_priority.ts";
import { openForReading } from "../connection/connection.ts";
import type { Database } from "../connection/database.ts";
import { type KnownFile, lossOf } from "../data_directory/store_files.ts";
import { readState } from "../tables/identity.ts";
import { readProjection } from "../tables/projections.ts";
import { readChunk } from "./read_chunk.ts";

/** Chunks are read together until they have taken so much. */
const TOGETHER = {
  /** So that none waits for long beside a reader that has become free. */
  milliseconds: 2,
  /** So that they travel through the memory that is shared with the main thread. */
  bytes: 64 * 1024,
};

/** Reads of what is committed, each in a short transaction of its own. Lives in a worker. */
export class Reader {
  readonly #db: Database;

  private constructor(db: Database) {
    this.#db = db;
  }

  /** @param files of the store as it was opened, none of which may have been replaced */
  static open(path: string, files: readonly KnownFile[] = []): Reader {
    refuseLoss(files);
    const reader = new Reader(openForReading(path));
    try {
      reader.ping();
      refuseLoss(files);
      return reader;
    } catch (error) {
      reader.close();
      throw error;
    }
  }

  /**
   * Reads chunks in order, all in one snapshot, until they have taken their time or room.
   * @returns those that were read, at least the first
   * @throws Error what any of them throws
   */
  chunks(requests: readonly ChunkRequest[], atMost = TOGETHER): Chunk[] {
    return this.#inSnapshot(() => {
      const begun = performance.now();
      const chunks: Chunk[] = [];
      let bytes = 0;
      for (const request of requests) {
        const chunk = readChunk(this.#db, request);
        chunks.push(chunk);
        bytes += chunk.lines.length;
        if (bytes >= atMost.bytes || performance.now() - begun >= atMost.milliseconds) break;
      }
      return chunks;
    });
  }

  projection(key: ProjectionKey): FoundProjection {
    return this.#inSnapshot(() => ({
      storeId: readState(this.#db).storeId,
      projection: readProjection(this.#db, key),
    }));
  }

  /** A trivial query, to see whether the database can be reached. */
  ping(): void {
    readState(this.#db);
  }

  close(): void {
    this.#db.close();
  }

  #inSnapshot<T>(read: () => T): T {
    standBack();
    this.#db.run("BEGIN");
    try {
      return read();
    } finally {
      if (this.#db.inTransaction) this.#db.run("COMMIT");
    }
  }
}

function refuseLoss(files: readonly KnownFile[]): void {
  const loss = lossOf(files);
  if (loss !== undefined) throw new Error(loss);
}
