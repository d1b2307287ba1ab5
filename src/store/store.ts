import type { ProjectionKey } from "../model/projection.ts";
import type { CommitFeed } from "./feed/commit_feed.ts";
import type { Chunk, ChunkRequest } from "./chunk.ts";
import type { PrefetchedChunk } from "./read_ahead.ts";
import type { TakeMore } from "./group_writes.ts";
import type { Outcome } from "./outcome.ts";
import type { StoreState } from "./state.ts";
import type { TransactionCounts } from "./transaction_counts.ts";
import type { StoreUsage } from "./usage.ts";
import type { AttemptResult, StoreWrite, WriteResult } from "./write.ts";

/** What the editions need from a store. */
export interface Store {
  /** The store as it was when it was opened. */
  readonly opened: OpenedStore;
  /** The store ID as of the last turn. */
  readonly storeId: string;
  readonly writer: StoreWriter;
  readonly reads: StoreReads;
  /** What turns have committed, for reads that wait. */
  readonly feed: CommitFeed;
  /** What turns came to since startup. */
  readonly counts: TransactionCounts;
  /** Asks what the store takes of its disk, which may take a second. */
  usage(): Promise<StoreUsage>;
  /** Called with the reason when no write can be trusted any more; the process should end. */
  onBroken: (reason: string) => void;
  /**
   * Called once, with the reason, when a file of the store was deleted or replaced. Every write is rejected from then
   * on; reads of those that were open go on.
   */
  onLost: (reason: string) => void;
  /** Called with the reason when what was written cannot be moved to its place, again and again. */
  onCheckpointFailed: (reason: string) => void;
  /** Called with the reason when no replica can be read and all is read from the primary, and without when one can again. */
  onReplicasUnread: (reason: string | undefined) => void;
  /**
   * Called with the reason when the history could not be told from one that clients have seen and that has lost a part:
   * the store got a new ID.
   */
  onRenewed: (reason: string) => void;
  /** Gives up the right to take turns, so that another server may have it. None may be in progress; reads go on. */
  endWriting(): Promise<void>;
  /** Closes everything. Nothing may be in progress. */
  close(): Promise<void>;
}

export interface OpenedStore extends StoreState {
  /** Whether opening it created it. */
  readonly created: boolean;
  /** Why opening it gave it a new ID, if it did. */
  readonly renewal?: string | undefined;
  /** Since when it is paused, in microseconds since 1970. */
  readonly pausedSinceMicros: number | undefined;
}

/**
 * Everything that changes the store, one call at a time: the write queue ensures that. A turn is one call, or
 * `begin`, any number of calls that end with `Inside` and see what was written before them, and then `commit`,
 * `rollback` or the failure of one of them.
 */
export interface StoreWriter {
  /**
   * Runs writes in order and makes them durable together. An error belongs to the write that caused it.
   * @param more called at most once, if others may still join when the turn has begun
   * @returns the outcomes of all writes, those that have joined behind the others
   */
  group(writes: readonly StoreWrite[], more?: TakeMore): Promise<readonly Outcome<AttemptResult>[]>;
  /** Deletes the projections of one type, or all of them. */
  deleteProjections(type: string | undefined): Promise<Outcome<void>>;
  /** Deletes everything and starts a new history under a new store ID. A pause stays. */
  reset(): Promise<Outcome<void>>;
  /** Stores a pause that survives a restart, or ends it. */
  setPaused(sinceMicros: number | undefined): Promise<Outcome<StoreState>>;
  /** Refreshes the statistics that make reads fast. */
  optimize(): Promise<Outcome<void>>;
  begin(): Promise<Outcome<void>>;
  /** A conflict leaves the turn as it is. */
  writeInside(write: StoreWrite): Promise<Outcome<WriteResult>>;
  /** @throws Error when the read failed, which ends the turn */
  readChunkInside(request: ChunkRequest): Promise<Chunk>;
  /** Throws like `readChunkInside`. */
  readProjectionInside(key: ProjectionKey): Promise<FoundProjection>;
  commit(): Promise<Outcome<void>>;
  /** Undoes the open turn, if there is one. */
  rollback(): Promise<void>;
}

/** Who waits for a read. `left` aborts when it does so in vain; it is asked for only when the read has to wait. */
export interface Client {
  readonly disconnected: AbortSignal;
}

/** Reads of what is committed, any number of them at once, each in a snapshot of its own. */
export interface StoreReads {
  /** Reads that are running, and the most that may. Others wait. */
  readonly inUse: number;
  readonly max: number;
  /**
   * @param client without one the read waits for as long as it takes
   * @param isUrgent goes before all others, and however many wait; for what is asked for once at a time
   * @throws ApiError `Unavailable` when too many reads are already waiting, ClientDisconnected when the client leaves first
   */
  chunk(request: ChunkRequest, client?: Client, isUrgent?: boolean): Promise<Chunk>;
  /** Begins to read a chunk before it is needed. @returns undefined when that would keep others waiting */
  prefetchChunk(request: ChunkRequest, client: Client): PrefetchedChunk | undefined;
  /** Throws like `chunk`. */
  projection(key: ProjectionKey, client?: Client): Promise<FoundProjection>;
  /** @throws ApiError `Unavailable` when a trivial read fails */
  ping(): Promise<void>;
}

/** The projection of a key, if there is one, and the store that was asked. */
export interface FoundProjection {
  readonly storeId: string;
  readonly projection: StoredProjection | undefined;
}

export interface StoredProjection {
  readonly version: string;
  readonly payload: Uint8Array<ArrayBuffer>;
}
