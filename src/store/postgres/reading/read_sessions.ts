import { ApiError } from "../../../model/errors.ts";
import type { ListRequest, ProjectionKey } from "../../../model/projection.ts";
import type { Chunk, ChunkRequest } from "../../api/chunk.ts";
import type { SubtreePart, SubtreeRequest } from "../../api/subtree.ts";
import type { Tally } from "../../api/tally.ts";
import { type PrefetchedChunk, ReadAhead } from "../../core/read_ahead.ts";
import type { Client, FoundProjection, ProjectionLines, StoreReads, SubjectsPart } from "../../api/store.ts";
import { ProjectionList } from "../../core/projection_list.ts";
import { addChunk, subtreeChunk } from "../../core/proof/hash_lines.ts";
import { DatabaseError, SessionLost } from "../protocol/errors.ts";
import type { Row } from "../protocol/cells.ts";
import type { Session, Statement } from "../protocol/session.ts";
import {
  listedProjections,
  listProjections,
  readProjection,
  storedProjection,
} from "../tables/projections.ts";
import { READ_STATE, type StoreRow, storeRow } from "../tables/state.ts";
import type { MasterKeys } from "../../core/sealing/master_keys.ts";
import type { KeysById } from "../../core/sealing/sealed_lines.ts";
import { changeName, READ_CHANGE, readSubjects, subjectsIn } from "../tables/subjects.ts";
import { firstStatement, readChunk } from "./read_chunk.ts";
import { RememberedKeys } from "./remembered_keys.ts";
import { keysOn, openedChunk } from "./sealed_chunk.ts";
import { type SessionOptions, SessionPool } from "./session_pool.ts";
import type { SessionSource } from "./session_source.ts";
import { tallyEvents } from "./tally_events.ts";

/** After a failover, each remaining session may be stale. A read tries this many sessions. */
const TRIES_MAX = 3;

const BEGIN = { sql: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" };

interface ReadOptions extends SessionOptions {
  /** Sent first, together with the statement that reads the state of the store. */
  readonly first?: readonly Statement[];
}

/** The keys that are in use, and the store that was asked. */
interface FoundKeys {
  readonly storeId: string;
  readonly keys: KeysById;
}

/** Reads of the store. Each has a connection for itself, and its own snapshot. */
export class ReadSessions implements StoreReads {
  readonly #source: SessionSource;
  /** Both are undefined when payloads are not to be decrypted. */
  readonly #masters: MasterKeys | undefined;
  readonly #keys: RememberedKeys | undefined;
  readonly #pool: SessionPool;
  readonly #ahead = new ReadAhead();

  /** @param masters given when payloads may be encrypted, and the sessions show the keys that are in use */
  constructor(source: SessionSource, max: number, masters: MasterKeys | undefined) {
    this.#source = source;
    this.#masters = masters;
    this.#keys = masters && new RememberedKeys();
    this.#pool = new SessionPool(source, max);
  }

  get max(): number {
    return this.#pool.max;
  }

  get inUse(): number {
    return this.#pool.inUse;
  }

  chunk(request: ChunkRequest, client?: Client, isUrgent = false): Promise<Chunk> {
    const isNextPart = request.head !== undefined;
    const events = firstStatement(request);
    const keys = request.stored ? undefined : this.#keys;
    const first = [...keys === undefined ? [] : [READ_CHANGE], ...events === undefined ? [] : [events]];
    return this.#read(async (session, state, asked) => {
      const chunk = await readChunk(session, state, request, events && asked.at(-1));
      if (keys === undefined) return chunk;
      const read = (ids: readonly string[]): Promise<KeysById> => keysOn(session, ids, this.#masters!);
      return await openedChunk(chunk, request, (ids) => keys.find(changeName(asked[0]!), ids, read));
    }, { client, isUrgent, isNextPart, first });
  }

  prefetchChunk(request: ChunkRequest, client: Client): PrefetchedChunk | undefined {
    return this.mayReadAhead ? this.#ahead.begin(() => this.chunk(request, client)) : undefined;
  }

  get mayReadAhead(): boolean {
    return this.#pool.hasForPrefetch;
  }

  projection(key: ProjectionKey, client?: Client): Promise<FoundProjection> {
    return this.#read(async (session, { storeId }) => {
      const [rows] = await session.run([readProjection(key)]);
      return { storeId, projection: storedProjection(rows!) };
    }, { client });
  }

  projections(request: ListRequest, client?: Client): Promise<ProjectionLines> {
    return this.#read(async (session, { storeId }) => {
      const list = new ProjectionList(request);
      for (let part = list.next(); part !== undefined; part = list.next()) {
        const [rows] = await session.run([listProjections(part)]);
        list.add(listedProjections(rows!));
      }
      return { storeId, lines: list.text };
    }, { client });
  }

  subjects(afterRow: number): Promise<SubjectsPart> {
    return this.#read(async (session, { storeId }) => {
      const [rows] = await session.run([readSubjects(afterRow)]);
      return { storeId, ...subjectsIn(rows!, afterRow, this.#masters!) };
    }, {});
  }

  /** Reads the keys with some IDs, for part of a page from elsewhere. Throws like `chunk`. */
  keys(ids: readonly string[], client?: Client): Promise<FoundKeys> {
    const read = async (session: Session, { storeId }: StoreRow): Promise<FoundKeys> => {
      return { storeId, keys: await keysOn(session, ids, this.#masters!) };
    };
    return this.#read(read, { client, isNextPart: true });
  }

  tally(afterSequence: number): Promise<Tally> {
    return this.#read((session, state) => tallyEvents(session, state, afterSequence), {});
  }

  async subtree(request: SubtreeRequest): Promise<SubtreePart> {
    return addChunk(request, await this.chunk(subtreeChunk(request)));
  }

  async ping(): Promise<void> {
    try {
      await this.#read(() => Promise.resolve(), { isUrgent: true });
    } catch (error) {
      throw error instanceof ApiError ? error : new ApiError("Unavailable", (error as Error).message);
    }
  }

  /** Closes all connections. A read in progress is aborted. */
  async close(): Promise<void> {
    await this.#pool.close();
  }

  /** @throws ApiError `Unavailable` when PostgreSQL cannot be reached */
  async #read<T>(
    read: (session: Session, state: StoreRow, asked: readonly (readonly Row[])[]) => Promise<T>,
    options: ReadOptions,
  ): Promise<T> {
    const { first = [] } = options;
    const expected = this.#source.expected();
    for (let tries = 1;; tries++) {
      const session = await this.#pool.session(options);
      try {
        const [, rows, ...asked] = await session.run([BEGIN, READ_STATE, ...first]);
        const row = storeRow(rows!);
        const fault = this.#source.faultOf(session, row, expected);
        if (fault !== undefined) throw new StaleSession(fault);
        const value = await read(session, row, asked);
        this.#end(session, "COMMIT");
        return value;
      } catch (error) {
        if (error instanceof StaleSession) await session.close();
        else if (session.isOpen) this.#end(session, "ROLLBACK");
        if (error instanceof StaleSession && tries < TRIES_MAX) continue;
        throw isPassing(error) ? new ApiError("Unavailable", (error as Error).message) : error;
      } finally {
        this.#pool.release(session);
      }
    }
  }

  /** Does not wait for the answer. PostgreSQL runs later statements of this session after this one. */
  #end(session: Session, sql: string): void {
    session.run([{ sql }]).catch(() => session.close());
  }
}

/** The session shows a store that reads must not use. */
class StaleSession extends SessionLost {}

const QUERY_CANCELED = "57014";

/** True when the request is not at fault: its connection was lost, or a statement timed out. */
function isPassing(error: unknown): boolean {
  return error instanceof SessionLost || (error instanceof DatabaseError && error.code === QUERY_CANCELED);
}
