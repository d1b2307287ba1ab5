import { type Call, type Known, type SeenEvent, SeenEvents, type SeenPage, type Stored } from "./observed.ts";

/**
 * All events that clients saw, in all stores of a chain. Two clients must not see different events at the same
 * sequence.
 */
export class Histories {
  readonly known: Known = new Map();
  readonly faults: string[] = [];

  see(storeId: string, event: SeenEvent): void {
    let history = this.known.get(storeId);
    if (history === undefined) this.known.set(storeId, history = new Map());
    const other = history.get(event.sequence);
    if (other === undefined) history.set(event.sequence, event);
    else if (!isSame(other, event)) this.faults.push(faultOf(storeId, other, event));
  }

  of(storeId: string): ReadonlyMap<number, SeenEvent> {
    return this.known.get(storeId) ?? new Map();
  }
}

/** Compares by identity first: the same line is the same object, but a client library creates other objects from it. */
export function isSame(one: SeenEvent, other: SeenEvent): boolean {
  return one === other || (one.mark === other.mark && one.time === other.time && one.type === other.type);
}

function faultOf(storeId: string, one: SeenEvent, other: SeenEvent): string {
  const [first, second] = [one, other].map(({ mark, time }) => `${mark} of ${time}`);
  return `event ${one.sequence} of store ${storeId} was ${first} for one reader and ${second} for another`;
}

/** The observations of one round. */
export class Observations {
  readonly seen: SeenEvents;
  readonly histories: Histories;
  readonly calls: Call[] = [];
  readonly pages: SeenPage[] = [];
  readonly stored: Stored[] = [];
  /** Faults that are certain independent of the content of the stores. */
  readonly faults: string[] = [];

  constructor(seen: SeenEvents, histories: Histories) {
    this.seen = seen;
    this.histories = histories;
  }

  /**
   * The number of decisions that clients took and of transactions that they committed, including those that wrote
   * nothing.
   */
  get decisions(): number {
    return this.calls.filter(({ operation, outcome: { kind } }) =>
      (operation === "decide" || operation === "transact") && (kind === "done" || kind === "declined")
    ).length;
  }
}
