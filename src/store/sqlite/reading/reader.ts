import type { ListRequest, ProjectionKey } from "../../../model/projection.ts";
import type { Chunk, ChunkRequest } from "../../api/chunk.ts";
import type { FoundProjection, ProjectionLines, SubjectsPart } from "../../api/store.ts";
import type { SubtreePart, SubtreeRequest } from "../../api/subtree.ts";
import type { Tally } from "../../api/tally.ts";
import { addChunk, subtreeChunk } from "../../core/proof/hash_lines.ts";
import { ProjectionList } from "../../core/projection_list.ts";
import { MasterKeys, NO_MASTER_KEYS } from "../../core/sealing/master_keys.ts";
import { lowerThreadPriority } from "../../../workers/low_priority.ts";
import { openForReading } from "../connection/connection.ts";
import type { Database } from "../connection/database.ts";
import { type KnownFile, lossOf } from "../data_directory/store_files.ts";
import { readState } from "../tables/identity.ts";
import { listProjections, readProjection } from "../tables/projections.ts";
import { hasSubjects, subjectsAfter } from "../tables/subjects.ts";
import { readChunk } from "./read_chunk.ts";
import { tallyEvents } from "./tally_events.ts";

/** Reads committed data, in short transactions. Runs in a worker. */
export class Reader {
  readonly #db: Database;
  /** False in a store without subjects. */
  readonly #masters: MasterKeys | false;
  #isInSnapshot = false;

  private constructor(db: Database, masterKeys: readonly string[]) {
    this.#db = db;
    this.#masters = hasSubjects(db) && new MasterKeys(masterKeys);
  }

  /**
   * @param files of the store as it was opened, none of which may have been replaced
   * @param masterKeys those that wrap the keys of subjects, in Base64
   */
  static open(
    path: string,
    files: readonly KnownFile[] = [],
    masterKeys: readonly string[] = [],
  ): Reader {
    rejectLoss(files);
    const reader = new Reader(openForReading(path), masterKeys);
    try {
      reader.ping();
      rejectLoss(files);
      return reader;
    } catch (error) {
      reader.close();
      throw error;
    }
  }

  chunk(request: ChunkRequest): Chunk {
    return this.#inSnapshot(() => readChunk(this.#db, request, this.#masters));
  }

  /** Runs reads that came together in one snapshot. It begins after all of them have come. */
  together(run: () => void): void {
    this.#inSnapshot(run);
  }

  projection(key: ProjectionKey): FoundProjection {
    return this.#inSnapshot(() => ({
      storeId: readState(this.#db).storeId,
      projection: readProjection(this.#db, key),
    }));
  }

  projections(request: ListRequest): ProjectionLines {
    return this.#inSnapshot(() => {
      const list = new ProjectionList(request);
      for (let part = list.next(); part !== undefined; part = list.next()) {
        list.add(listProjections(this.#db, part));
      }
      return { storeId: readState(this.#db).storeId, lines: list.text };
    });
  }

  subjects(afterRow: number): SubjectsPart {
    return this.#inSnapshot(() => ({
      storeId: readState(this.#db).storeId,
      ...subjectsAfter(this.#db, afterRow, this.#masters || NO_MASTER_KEYS),
    }));
  }

  tally(afterSequence: number): Tally {
    return this.#inSnapshot(() => tallyEvents(this.#db, afterSequence));
  }

  subtree(request: SubtreeRequest): SubtreePart {
    return addChunk(request, this.chunk(subtreeChunk(request)));
  }

  /** Runs a trivial query, to check that the database can be reached. */
  ping(): void {
    readState(this.#db);
  }

  close(): void {
    this.#db.close();
  }

  #inSnapshot<T>(read: () => T): T {
    // A failed read may have ended the snapshot for those behind it.
    if (this.#isInSnapshot && this.#db.inTransaction) return read();
    lowerThreadPriority();
    this.#db.run("BEGIN");
    this.#isInSnapshot = true;
    try {
      return read();
    } finally {
      this.#isInSnapshot = false;
      if (this.#db.inTransaction) this.#db.run("COMMIT");
    }
  }
}

function rejectLoss(files: readonly KnownFile[]): void {
  const loss = lossOf(files);
  if (loss !== undefined) throw new Error(loss);
}
