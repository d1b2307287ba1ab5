import type { ListRequest, ProjectionKey } from "../../model/projection.ts";
import { CHUNK_BYTES } from "../api/chunk.ts";

/** Rows are read in batches, since type and ID of each may be as long as the largest projection. */
const ROWS_MAX = 100;

/** A projection without its payload. */
export interface ListedProjection extends ProjectionKey {
  readonly version: string;
  /** The size of type, ID and payload. */
  readonly bytes: number;
}

/** Collects the lines of a list of projections, which a storage reads in batches. */
export class ProjectionList {
  readonly #request: ListRequest;
  #after: ProjectionKey | undefined;
  #left: number;
  #asked = 0;
  #lines = "";
  /** True if more projections follow; undefined until that is known. */
  #hasMore: boolean | undefined;

  constructor(request: ListRequest) {
    this.#request = request;
    this.#after = request.after;
    this.#left = request.limit;
  }

  /** The projections to read next, or undefined when the list is complete. One more than wanted shows if more follow. */
  next(): ListRequest | undefined {
    if (this.#hasMore !== undefined) return undefined;
    this.#asked = Math.min(this.#left + 1, ROWS_MAX);
    return { ...this.#request, after: this.#after, limit: this.#asked };
  }

  /** Takes the projections of `next`. */
  add(rows: readonly ListedProjection[]): void {
    const { space } = this.#request;
    for (const { type, id, version, bytes: stored } of rows) {
      // A storage may find the types of a space by a digest that another one shares.
      if (!type.startsWith(space)) {
        this.#after = { type, id };
        continue;
      }
      if (this.#left === 0 || this.#lines.length >= CHUNK_BYTES) {
        this.#hasMore = true;
        return;
      }
      // A space is ASCII.
      const shown = { type: type.slice(space.length), id, version, bytes: stored - space.length };
      this.#lines += `${JSON.stringify(shown)}\n`;
      this.#left--;
      this.#after = { type, id };
    }
    if (rows.length < this.#asked) this.#hasMore = false;
  }

  /** The complete list as text. */
  get text(): string {
    return `${this.#lines}${JSON.stringify({ hasMore: this.#hasMore })}\n`;
  }
}
