import { type Query, queryValues } from "../../../model/query.ts";
import type { Remote } from "../../../workers/remote_worker.ts";
import type { ChunkRequest } from "../../api/chunk.ts";
import type { Client } from "../../api/store.ts";
import type { ReadKind } from "../../core/queued_reads.ts";
import type { Reader } from "../reading/reader.ts";

/** A read that waits for a reader, or is in progress. */
export interface PooledRead extends PromiseWithResolvers<unknown> {
  /** The request for a chunk, or another call to a reader. */
  readonly wanted: ChunkRequest | ((reader: Remote<Reader>) => Promise<unknown>);
  /** Without a client, the read is always executed. */
  readonly client?: Client | undefined;
  /** Goes before all others, even when too many wait. */
  readonly isUrgent?: boolean;
  /** Not to be executed together with others. */
  readonly isAlone?: boolean;
}

/** True when a read may be given to a reader together with others, since it seems to be short. */
export function isShort({ wanted, isUrgent, isAlone }: PooledRead): boolean {
  return typeof wanted !== "function" && wanted.head === undefined && isUrgent !== true && isAlone !== true &&
    isShortQuery(wanted.query);
}

/** Larger queries are not short reads: so many values take long, and so much text blocks the main thread. */
const VALUES_MAX = 100;
const UNITS_MAX = 4096;

export function kindOf(read: PooledRead): ReadKind {
  const isNextPart = typeof read.wanted !== "function" && read.wanted.head !== undefined;
  return { isNextPart, isShort: isShort(read) };
}

function isShortQuery(query: Query): boolean {
  if (typeof query === "string") return true;
  if (queryValues(query) > VALUES_MAX) return false;
  let units = 0;
  for (const { types, identifiers, metadata } of query) {
    for (const type of types) units += type.length;
    for (const tags of [identifiers, metadata]) {
      for (const { name, value } of tags) units += name.length + value.length;
    }
  }
  return units <= UNITS_MAX;
}
