import { type ApiError, ClientDisconnected } from "../../../model/errors.ts";
import type { ListRequest, ProjectionKey } from "../../../model/projection.ts";
import type { Chunk, ChunkRequest } from "../../api/chunk.ts";
import type { SubtreePart, SubtreeRequest } from "../../api/subtree.ts";
import type { Tally } from "../../api/tally.ts";
import { type PrefetchedChunk, ReadAhead } from "../../core/read_ahead.ts";
import type { StoreState } from "../../api/state.ts";
import type { Client, FoundProjection, ProjectionLines, StoreReads, SubjectsPart } from "../../api/store.ts";
import type { PostgresLocation } from "../connection/address.ts";
import type { Primary } from "../cluster/primary.ts";
import { ReadSessions } from "./read_sessions.ts";
import { openedChunk } from "./sealed_chunk.ts";
import { replicaSource } from "./session_source.ts";

/** How often the server retries replicas that could not be read. No request waits for this. */
const RETRY_MILLISECONDS = 2000;

interface ReplicaOptions {
  /** The store as this server knows it. */
  readonly known: () => StoreState;
  readonly primary: Primary;
  /** True when payloads may be encrypted. */
  readonly hasSubjects: boolean;
  /** Called with the reason when no replica can be read, and with undefined when one can be read again. */
  readonly onUnread: (reason: string | undefined) => void;
}

/**
 * Reads pages from replicas, which may lag, and everything else from the primary. The primary also serves what a
 * replica does not have yet, and everything while no replica can be read.
 */
export class ReplicaReads implements StoreReads {
  readonly #replicas: ReadSessions;
  readonly #primary: ReadSessions;
  readonly #options: ReplicaOptions;
  readonly #ahead = new ReadAhead();
  #retry: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(replicas: ReadSessions, primary: ReadSessions, options: ReplicaOptions) {
    this.#replicas = replicas;
    this.#primary = primary;
    this.#options = options;
  }

  get inUse(): number {
    return this.#replicas.inUse + this.#primary.inUse;
  }

  get max(): number {
    return this.#replicas.max + this.#primary.max;
  }

  async chunk(request: ChunkRequest, client?: Client, isUrgent = false): Promise<Chunk> {
    // An urgent read belongs to a write, and the primary decides about writes.
    if (!isUrgent && this.#mayRead) {
      const chunk = await this.#fromReplica(request, client);
      const readable = chunk && !this.#isBehind(chunk, request) && await this.#opened(chunk, request, client);
      if (readable) return readable;
    }
    return await this.#primary.chunk(request, client, isUrgent);
  }

  prefetchChunk(request: ChunkRequest, client: Client): PrefetchedChunk | undefined {
    const reads = this.#mayRead ? this.#replicas : this.#primary;
    return reads.mayReadAhead ? this.#ahead.begin(() => this.chunk(request, client)) : undefined;
  }

  get #mayRead(): boolean {
    return this.#retry === undefined && this.#options.primary.mayReadReplicas;
  }

  /** Reads from the primary, because a client could not see that a projection from a replica is outdated. */
  projection(key: ProjectionKey, client?: Client): Promise<FoundProjection> {
    return this.#primary.projection(key, client);
  }

  /** Also from the primary: it has the versions. */
  projections(request: ListRequest, client?: Client): Promise<ProjectionLines> {
    return this.#primary.projections(request, client);
  }

  /** Also from the primary: a forgotten key must not be found. */
  subjects(afterRow: number): Promise<SubjectsPart> {
    return this.#primary.subjects(afterRow);
  }

  /** Also from the primary: a replica that lags would seem to be another store. */
  tally(afterSequence: number): Promise<Tally> {
    return this.#primary.tally(afterSequence);
  }

  /** Also from the primary, for the same reason. */
  subtree(request: SubtreeRequest): Promise<SubtreePart> {
    return this.#primary.subtree(request);
  }

  ping(): Promise<void> {
    return this.#primary.ping();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await Promise.all([this.#replicas.close(), this.#primary.close()]);
  }

  /** @returns undefined when no replica can be read now */
  async #fromReplica(request: ChunkRequest, client: Client | undefined): Promise<Chunk | undefined> {
    try {
      return await this.#replicas.chunk(request, client);
    } catch (error) {
      if (error instanceof ClientDisconnected) throw error;
      this.#unread(error as Error);
      return undefined;
    }
  }

  /**
   * Decrypts a chunk with keys from the primary: a replica that lags has keys that were destroyed.
   * @returns undefined when the primary has another store meanwhile
   */
  async #opened(
    chunk: Chunk,
    request: ChunkRequest,
    client: Client | undefined,
  ): Promise<Chunk | undefined> {
    if (!this.#options.hasSubjects) return chunk;
    let storeId = chunk.storeId;
    const opened = await openedChunk(chunk, request, async (ids) => {
      const found = await this.#primary.keys(ids, client);
      storeId = found.storeId;
      return found.keys;
    });
    return storeId === chunk.storeId ? opened : undefined;
  }

  /** True when the page must contain something that the replica does not have yet. */
  #isBehind({ storeId, head, events, end }: Chunk, request: ChunkRequest): boolean {
    const known = this.#options.known();
    if (storeId !== known.storeId) return true;
    const { afterSequence, headAtLeast = 0 } = request;
    // The first chunk fixed the end of the page. The reader may also have read further on another replica.
    if (head < Math.max(request.head ?? 0, afterSequence, headAtLeast)) return true;
    // A client that gets an empty page may wait for the next event, so an empty page must be correct.
    return request.head === undefined && events === 0 && end !== false && head < known.head;
  }

  /** Stops reading from replicas. When several reads fail at once, only the first failure is reported. */
  #unread(error: Error): void {
    if (this.#isClosed || this.#retry !== undefined) return;
    this.#options.onUnread((error as Partial<ApiError>).detail ?? error.message);
    this.#tryLater();
  }

  #tryLater(): void {
    this.#retry = setTimeout(async () => {
      const isThere = await this.#replicas.ping().then(() => true, () => false);
      if (this.#isClosed) return;
      if (!isThere) return this.#tryLater();
      this.#retry = undefined;
      this.#options.onUnread(undefined);
    }, RETRY_MILLISECONDS);
  }
}

/** Returns the reads of a store: from its replicas if it has any, otherwise from the primary. */
export function withReplicas(
  location: PostgresLocation,
  primary: ReadSessions,
  options: ReplicaOptions,
): ReadSessions | ReplicaReads {
  const { readAddress, schema } = location;
  if (readAddress === undefined) return primary;
  const replicas = new ReadSessions(
    replicaSource(readAddress, schema, options.primary),
    primary.max,
    undefined,
  );
  return new ReplicaReads(replicas, primary, options);
}
