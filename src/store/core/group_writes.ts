import type { StoreWrite } from "../api/write.ts";

/** Takes the writes that have come since a group was formed. They follow the writes of the group. */
export type TakeMore = () => readonly StoreWrite[];

/** The writes of a group, with those that join it later. */
export class GroupWrites {
  readonly all: StoreWrite[];
  readonly #more: TakeMore;

  constructor(writes: readonly StoreWrite[], more: TakeMore = () => []) {
    this.all = [...writes];
    this.#more = more;
  }

  readonly more: TakeMore = () => {
    const late = this.#more();
    this.all.push(...late);
    return late;
  };
}
