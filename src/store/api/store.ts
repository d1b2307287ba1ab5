import type { ListRequest, ProjectionKey } from "../../model/projection.ts";
import type { Tag } from "../../model/tag.ts";
import type { CommitFeed } from "../feed/commit_feed.ts";
import type { Chunk, ChunkRequest } from "./chunk.ts";
import type { PrefetchedChunk } from "../core/read_ahead.ts";
import type { Outcome } from "./outcome.ts";
import type { StoreState } from "./state.ts";
import type { SubtreePart, SubtreeRequest } from "./subtree.ts";
import type { Tally } from "./tally.ts";
import type { TransactionCounts } from "../core/transaction_counts.ts";
import type { AttemptResult, StoreWrite, TakeMore, WriteResult } from "./write.ts";

/** The interface of a store, for the editions. */
export interface Store {
  /** The store as it was when it was opened. */
  readonly opened: OpenedStore;
  /** The store ID as of the last transaction. */
  readonly storeId: string;
  readonly writer: StoreWriter;
  readonly reads: StoreReads;
  /** Committed events, for reads that wait. */
  readonly feed: CommitFeed;
  /** The results of transactions since startup. */
  readonly counts: TransactionCounts;
  /** Asks for the disk usage of the store, which may take a second. */
  usage(): Promise<StoreUsage>;
  /** Called with what an operator must know. */
  onNotice: (notice: StoreNotice) => void;
  /**
   * Ends this server's write transactions, so that another server may write. None may be in progress. Reads continue.
   */
  endWriting(): Promise<void>;
  /** Closes everything. Nothing may be in progress. */
  close(): Promise<void>;
}

/** A notice about the store itself, with a reason for the log. */
export type StoreNotice =
  /** No write can be trusted any more. The process should end, unless another server can take over. Emitted once. */
  | { readonly kind: "broken"; readonly reason: string }
  /**
   * A file of the store was deleted or replaced. From now on every write is rejected; reads of the open files continue.
   * Emitted once.
   */
  | { readonly kind: "lost"; readonly reason: string }
  /** The WAL cannot be moved into the file of the store. Emitted again and again. */
  | { readonly kind: "checkpointFailed"; readonly reason: string }
  /** A key was destroyed, but a copy of it is left in the WAL. Emitted for each request that gets no answer for it. */
  | { readonly kind: "keyInWal"; readonly reason: string }
  /** All keys of subjects are wrapped with the first master key now, or could not be. */
  | { readonly kind: "keysWrapped"; readonly reason: string }
  /** With a reason, writes fail, and no client is at fault. Without one, a write has been committed again. */
  | { readonly kind: "writes"; readonly reason: string | undefined }
  /** With a reason, no replica can be read, and the primary serves all reads. Without one, a replica can be read again. */
  | { readonly kind: "replicas"; readonly reason: string | undefined }
  /** The store got a new ID, because its history may have lost a part that clients have seen. */
  | { readonly kind: "renewed"; readonly reason: string };

/** The disk usage of a store, in bytes. A value that is not available is missing. */
export interface StoreUsage {
  readonly storeBytes?: number | undefined;
  /** Data that was written, and has not been moved into the store's file yet. */
  readonly walBytes?: number | undefined;
  /** The free disk space that the server may use, and the size of the disk. */
  readonly freeBytes?: number | undefined;
  readonly diskBytes?: number | undefined;
}

export interface OpenedStore extends StoreState {
  /** True when opening the store created it. */
  readonly created: boolean;
  /** Why opening it gave it a new ID, if it did. */
  readonly renewal?: string | undefined;
  /** Since when it is paused, in microseconds since 1970. */
  readonly pausedSinceMicros: number | undefined;
}

/**
 * Everything that changes the store, one call at a time: the write queue ensures that. One call is one transaction.
 * Or a transaction is `begin`, any number of calls that end with `Inside`, and then `commit` or `rollback`. These
 * calls see what was written before them. A failure of one of them ends the transaction.
 */
export interface StoreWriter {
  /**
   * Runs writes in order and makes them durable together. An error belongs to the write that caused it.
   * @param more called at most once, if others may still join when the transaction has begun
   * @returns the outcomes of all writes; those that joined come last
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
  /** A conflict leaves the transaction open and unchanged. */
  writeInside(write: StoreWrite): Promise<Outcome<WriteResult>>;
  /** @throws Error when the read failed, which ends the transaction */
  readChunkInside(request: ChunkRequest): Promise<Chunk>;
  /** Throws like `readChunkInside`. */
  readProjectionInside(key: ProjectionKey): Promise<FoundProjection>;
  commit(): Promise<Outcome<void>>;
  /** Undoes the open transaction, if there is one. */
  rollback(): Promise<void>;
}

/**
 * The client that waits for a read. `disconnected` aborts when the client has gone. It is accessed only when the read
 * has to wait.
 */
export interface Client {
  readonly disconnected: AbortSignal;
}

/** Reads of committed data, any number of them at once, each in a snapshot of its own. */
export interface StoreReads {
  /** The number of reads that are running, and its maximum. Others wait. */
  readonly inUse: number;
  readonly max: number;
  /**
   * @param client without one the read waits for as long as it takes
   * @param isUrgent goes before all others, even when too many wait. Use it only for calls that come one at a time
   * @throws ApiError `Unavailable` when too many reads are already waiting, ClientDisconnected when the client
   *   disconnects first
   */
  chunk(request: ChunkRequest, client?: Client, isUrgent?: boolean): Promise<Chunk>;
  /**
   * Begins to read a chunk before it is needed.
   * @returns undefined when that would keep others waiting
   */
  prefetchChunk(request: ChunkRequest, client: Client): PrefetchedChunk | undefined;
  /** Throws like `chunk`. */
  projection(key: ProjectionKey, client?: Client): Promise<FoundProjection>;
  /** Throws like `chunk`. The list may be shorter than its limit. */
  projections(request: ListRequest, client?: Client): Promise<ProjectionLines>;
  /** Reads some subjects, in the order in which their keys were made, after a row. Throws like `chunk`. */
  subjects(afterRow: number): Promise<SubjectsPart>;
  /** Counts the events after a sequence, a limited number of them. Throws like `chunk`. */
  tally(afterSequence: number): Promise<Tally>;
  /** Computes the digest of events as they are stored, a limited number of them. Throws like `chunk`. */
  subtree(request: SubtreeRequest): Promise<SubtreePart>;
  /** @throws ApiError `Unavailable` when a trivial read fails */
  ping(): Promise<void>;
}

/** Some subjects, and the store that was asked. */
export interface SubjectsPart {
  readonly storeId: string;
  readonly subjects: readonly StoredSubject[];
  /** The row of the last one. There are no more after an empty part. */
  readonly lastRow: number;
}

/** A subject, and one of the keys that it has had. */
export interface StoredSubject {
  readonly id: string;
  readonly subject: Tag;
  /** undefined when the subject was forgotten. */
  readonly key: Uint8Array | undefined;
  /** When the subject was forgotten, in microseconds since 1970. */
  readonly forgottenMicros: number | undefined;
  /** True when a bit of the key or of its ID was changed. */
  readonly isDamaged: boolean;
}

/** The projection of a key, if there is one, and the store that was asked. */
export interface FoundProjection {
  readonly storeId: string;
  readonly projection: StoredProjection | undefined;
}

/** A list of projections without their payloads, and the store that was asked. */
export interface ProjectionLines {
  readonly storeId: string;
  /** A line of JSON for each, and the last line `{"hasMore"}`. */
  readonly lines: string;
}

export interface StoredProjection {
  readonly version: string;
  readonly payload: Uint8Array<ArrayBuffer>;
}
