import { type Call, type Known, type SeenEvent, SeenEvents, type SeenPage, type Stored } from "./observed.ts";

/** Everything that anybody has seen, of all stores of a chain: nobody may see two events in one place. */
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

/** The same line is the same object; a client library makes other objects of it. */
export function isSame(one: SeenEvent, other: SeenEvent): boolean {
  return one === other || (one.mark === other.mark && one.time === other.time && one.type === other.type);
}

function faultOf(storeId: string, one: SeenEvent, other: SeenEvent): string {
  const [first, second] = [one, other].map(({ mark, time }) => `${mark} of ${time}`);
  return `event ${one.sequence} of store ${storeId} was ${first} for one reader and ${second} for another`;
}

/** What is observed in one round. */
export class Observations {
  readonly seen: SeenEvents;
  readonly histories: Histories;
  readonly calls: Call[] = [];
  readonly pages: SeenPage[] = [];
  readonly stored: Stored[] = [];
  /** What is wrong in itself, whatever the stores hold. */
  readonly faults: string[] = [];

  constructor(seen: SeenEvents, histories: Histories) {
    this.seen = seen;
    this.histories = histories;
  }

  /** How many decisions of clients were taken, or transactions carried out, those included that write nothing. */
  get decisions(): number {
    return this.calls.filter(({ operation, outcome: { kind } }) =>
      (operation === "decide" || operation === "transact") && (kind === "done" || kind === "declined")
    ).length;
  }
}
