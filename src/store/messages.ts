import type { ProjectionKey } from "../model/projection.ts";
import type { PreparedEvent } from "./events.ts";
import type { StoreState } from "./identity.ts";
import type { Origin } from "./origin.ts";
import type { StoredProjection } from "./projections.ts";
import type { Chunk, ChunkRequest } from "./read_chunk.ts";
import type { StoreWrite } from "./run_write.ts";
import type { TurnFailure } from "./turns.ts";
import type { Verdict } from "./writer.ts";

/** What the main thread asks of the writer worker, and what each call returns. */
export interface WriterCalls {
  /** Opens the database, creating it when there is none. */
  open(path: string): OpenedStore;
  group(writes: readonly StoreWrite[]): GroupEnd;
  deleteProjections(type: string | undefined): TurnFailure | undefined;
  reset(): AloneEnd;
  setPaused(sinceMicros: number | undefined): AloneEnd;
  optimize(): TurnFailure | undefined;
  /** Opens a turn for the calls that end with `Inside`; it ends with `commit`, `rollback` or their failure. */
  begin(): AloneEnd;
  writeInside(write: StoreWrite): Verdict;
  readChunkInside(request: ChunkRequest): Chunk;
  readProjectionInside(key: ProjectionKey): StoredProjection | undefined;
  commit(): TurnFailure | undefined;
  rollback(): void;
  close(): void;
}

/** The store as it was when it was opened. */
export interface OpenedStore extends StoreState {
  /** Whether the database was created then. */
  readonly created: boolean;
  /** Since when it is paused, in microseconds since 1970. */
  readonly pausedSinceMicros: number | undefined;
}

/** How a group ended: a verdict for each write, in order, and the store that they were written to. */
export interface GroupEnd {
  readonly verdicts: readonly Verdict[];
  readonly storeId: string;
}

/** How a call that has the turn alone ended, and the store after it. */
export interface AloneEnd extends StoreState {
  readonly failure: TurnFailure | undefined;
}

/** What the main thread asks of a reader worker. */
export interface ReaderCalls {
  open(path: string): void;
  /** A trivial query, to see whether the database can be reached. */
  ping(): void;
  events(request: ChunkRequest): Chunk;
  projection(
    key: ProjectionKey,
  ): { readonly storeId: string; readonly projection: StoredProjection | undefined };
  close(): void;
}

/** What the main thread asks of the worker that writes a backup. */
export interface BackupCalls {
  /** Opens a backup, creating it when there is none. */
  open(path: string, origin: Origin): OpenedBackup;
  /** Appends events to the open transaction, which the first of them begins. */
  append(events: readonly PreparedEvent[]): void;
  /** Ends the transaction. @returns the sequence of the last event */
  commit(chain: Uint8Array): number;
  close(): void;
}

/** A backup as it was found or made. */
export interface OpenedBackup {
  /** Whether the file was made now. */
  readonly created: boolean;
  readonly head: number;
  readonly chain: Uint8Array;
  /** The line of the last event, with its line feed; undefined when there is none. */
  readonly lastLine: string | undefined;
}
