import { utf8BytesOver } from "./utf8.ts";
import { spaceOf } from "./within.ts";

export interface ProjectionKey {
  readonly type: string;
  readonly id: string;
}

export interface ProjectionCreate extends ProjectionKey {
  readonly payload: string;
}

export interface ProjectionReplace extends ProjectionKey {
  readonly version: string;
  readonly payload: string;
}

export interface ProjectionDelete extends ProjectionKey {
  readonly version: string;
}

/** The projection changes of one write. Each pair of type and id occurs once, so the order has no meaning. */
export interface ProjectionChanges {
  readonly create: readonly ProjectionCreate[];
  readonly replace: readonly ProjectionReplace[];
  readonly delete: readonly ProjectionDelete[];
}

/** The projections that a list has: those of a type or of all types, from a key on, up to a maximum number. */
export interface ListRequest {
  /** Only types that begin with this, which the list leaves out; "" for all projections of clients. */
  readonly space: string;
  /** A type with its space; undefined: all types. */
  readonly type: string | undefined;
  /** The list begins after this key in the storage's order, with its space, whether or not there is such a projection. */
  readonly after: ProjectionKey | undefined;
  readonly limit: number;
}

/**
 * Returns the size of a projection in bytes (UTF-8 of type, id and payload) when it is over `bytesMax`, else 0. The
 * space of a type does not count, so that every client may write what a token with `within` has written.
 */
export function projectionBytesOver(bytesMax: number, key: ProjectionKey, payload: string): number {
  return utf8BytesOver(bytesMax, [key.type.slice(spaceOf(key.type).length), key.id, payload]);
}

/** Returns a string that is equal for two projections exactly if both type and id are equal. */
export function projectionKeyText(key: ProjectionKey): string {
  return `${key.type.length}:${key.type}${key.id}`;
}
