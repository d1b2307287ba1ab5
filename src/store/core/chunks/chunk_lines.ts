import { isInTimeRange } from "../../../model/time_range.ts";
import type { Chunk } from "../../api/chunk.ts";
import { endOf, positionBefore, positionBehind, startOf } from "../ranges/direction.ts";
import type { ChunkSearch, FoundEvents } from "./chunk_search.ts";
import { type ChunkWork, WorkDone } from "./chunk_work.ts";
import { LineBuffer } from "./line_buffer.ts";

/** The part of a chunk that comes from its search. */
export type SearchedChunk = Pick<Chunk, "lines" | "events" | "last" | "end">;

/** Assembles a chunk from the steps of its search. */
export class ChunkLines {
  readonly #search: ChunkSearch;
  readonly #done: WorkDone;
  readonly #lines = new LineBuffer();
  #events = 0;
  #last: number;
  #end: Chunk["end"] = false;

  constructor(search: ChunkSearch, work: ChunkWork) {
    this.#search = search;
    this.#done = new WorkDone(work);
    this.#last = startOf(search.range, search.direction);
  }

  /**
   * Adds the next step.
   * @param work that of the step, in the unit of the limits
   * @returns whether the chunk ends with it
   */
  add({ rows, reached }: FoundEvents, work: number): boolean {
    const { time, range, direction, limit } = this.#search;
    for (const row of rows) {
      if (time !== undefined && !isInTimeRange(time, row.timeMicros)) continue;
      if (this.#events + 1 === limit) {
        this.#last = positionBefore(row.sequence, direction);
        this.#end = { hasMore: true };
        return true;
      }
      this.#lines.addEvent(row);
      this.#events++;
      this.#last = positionBehind(row.sequence, direction);
      if (this.#lines.isFull) return true;
    }
    this.#last = reached;
    return this.#done.isEnoughAfter(work) && reached !== endOf(range, direction);
  }

  /** The chunk that has ended with a step. */
  take(): SearchedChunk {
    return { lines: this.#lines.take(), events: this.#events, last: this.#last, end: this.#end };
  }

  /** The last chunk of its page, after a search that found no more. */
  takeLast(): SearchedChunk {
    this.#last = endOf(this.#search.range, this.#search.direction);
    this.#end = { hasMore: false };
    return this.take();
  }
}
