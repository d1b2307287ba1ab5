import type { Operation, WriteOperation } from "../../audit/linearizability/operations.ts";
import type { Random } from "../../audit/workload/random.ts";

interface Plan {
  readonly operations: number;
  readonly clients: number;
  /** The number of times that the history goes back. */
  readonly forks: number;
  /** The share of the writes whose answer is lost. */
  readonly lost: number;
  /** The share of the reads from a lagging replica. */
  readonly stale: number;
}

interface Stored {
  readonly label: string;
  readonly tags: readonly string[];
  readonly isLast: boolean;
}

type Answered = Operation extends infer O ? O extends Operation ? Omit<O, "call" | "return"> : never : never;

/**
 * A pending call. It takes effect once, at any moment until its answer. A write with a lost answer takes effect later
 * or never.
 */
interface Open {
  readonly client: number;
  readonly call: number;
  answer: Answered | undefined;
}

const TAGS = ["a", "b", "c", "d", "e"];

/**
 * A history of a store that does everything right. Sometimes it loses its last events, and continues under a new ID.
 */
export function madeOperations(random: Random, plan: Plan): Operation[] {
  const store = new MadeStore(random, plan);
  const made: Operation[] = [];
  const open = new Map<number, Open>();
  const orphans: Open[] = [];
  let moment = 0;
  let forks = 0;
  while (made.length < plan.operations) {
    moment += 1 + random.below(3);
    if (forks < plan.forks && made.length > (forks + 1) * plan.operations / (plan.forks + 1)) {
      forks++;
      const output = store.fork();
      made.push({ op: "fork", client: -1, call: moment, return: moment + 1, input: {}, output });
      continue;
    }
    if (orphans.length > 0 && random.chance(0.05)) {
      const [late] = orphans.splice(random.below(orphans.length), 1);
      if (random.chance(0.5)) store.carryOut(late!);
    }
    const client = random.below(plan.clients);
    const one = open.get(client);
    if (one === undefined) open.set(client, { client, call: moment, answer: undefined });
    else if (one.answer === undefined) {
      one.answer = store.carryOut(one);
      if (one.answer.op !== "write" || !random.chance(plan.lost)) continue;
      open.delete(client);
      // It has happened, or will.
      const output = { kind: "unknown" } as const;
      const lost: WriteOperation = {
        ...one.answer,
        call: one.call,
        return: random.pick([null, moment]),
        output,
      };
      made.push(lost);
    } else {
      open.delete(client);
      made.push({ ...one.answer, call: one.call, return: moment });
    }
    if (random.chance(plan.lost / 4)) {
      const late = store.lateWrite(client, moment);
      orphans.push(late.open);
      made.push(late.operation);
    }
  }
  for (const { call, answer } of open.values()) {
    if (answer?.op === "write") made.push({ ...answer, call, return: null, output: { kind: "unknown" } });
  }
  return made;
}

class MadeStore {
  readonly #random: Random;
  readonly #plan: Plan;
  #id = 0;
  #events: Stored[] = [];
  #labels = 0;
  #late = new Map<Open, WriteOperation>();

  constructor(random: Random, plan: Plan) {
    this.#random = random;
    this.#plan = plan;
  }

  fork(): { readonly store: string; readonly kept: number } {
    const kept = this.#lastHead(this.#events.length - this.#random.below(6));
    this.#events = this.#events.slice(0, kept);
    return { store: `store${++this.#id}`, kept };
  }

  /** A write that was given up before anything happened. */
  lateWrite(client: number, call: number): { readonly open: Open; readonly operation: WriteOperation } {
    const open = { client, call, answer: undefined };
    const operation: WriteOperation = {
      op: "write",
      client,
      call,
      return: null,
      input: this.#input(),
      output: { kind: "unknown" },
    };
    this.#late.set(open, operation);
    return { open, operation };
  }

  carryOut(open: Open): Answered {
    const late = this.#late.get(open);
    if (late !== undefined) return this.#write(open.client, late.input);
    return this.#random.chance(0.4) ? this.#read(open.client) : this.#write(open.client, this.#input());
  }

  #input(): WriteOperation["input"] {
    const tags = this.#tags();
    const events = Array.from({ length: 1 + this.#random.below(2) }, () => ({
      label: `x${++this.#labels}`,
      tags: [this.#random.pick(TAGS), this.#random.pick(TAGS)],
    }));
    const after = Math.max(0, this.#events.length - this.#random.below(4));
    // A client that does not know of the last fork yet.
    const id = this.#id > 0 && this.#random.chance(0.02) ? this.#id - 1 : this.#id;
    return { condition: this.#random.chance(0.2) ? null : { after, store: `store${id}`, tags }, events };
  }

  #write(client: number, input: WriteOperation["input"]): Answered {
    const { condition, events } = input;
    const begun = { op: "write", client, input } as const;
    if (this.#random.chance(0.01)) return { ...begun, output: { kind: "nothing" } };
    if (condition) {
      const { store, after = 0, tags } = condition;
      const isBroken = store !== `store${this.#id}` || after > this.#events.length ||
        this.#matching(tags, after, this.#events.length).length > 0;
      if (isBroken) return { ...begun, output: { kind: "conflict" } };
    }
    const first = this.#events.length + 1;
    this.#events.push(...events.map((event, i) => ({ ...event, isLast: i === events.length - 1 })));
    const sequences = events.map((_, i) => first + i);
    return { ...begun, output: { kind: "written", store: `store${this.#id}`, sequences } };
  }

  #read(client: number): Answered {
    const tags = this.#random.chance(0.1) ? null : this.#tags();
    const isStale = this.#random.chance(this.#plan.stale);
    const head = this.#lastHead(this.#events.length - (isStale ? this.#random.below(10) : 0));
    const after = Math.max(0, head - this.#random.below(30));
    return {
      op: "read",
      client,
      input: { tags, after, ...isStale ? {} : { strict: true } },
      output: { store: `store${this.#id}`, head, events: this.#matching(tags, after, head) },
    };
  }

  #tags(): string[] {
    return [...new Set([this.#random.pick(TAGS), this.#random.pick(TAGS)])];
  }

  #lastHead(most: number): number {
    let head = Math.max(0, most);
    while (head > 0 && !this.#events[head - 1]!.isLast) head--;
    return head;
  }

  #matching(tags: readonly string[] | null, after: number, head: number): [number, string][] {
    return this.#events.slice(after, head).flatMap((event, i): [number, string][] =>
      tags === null || tags.every((tag) => event.tags.includes(tag)) ? [[after + i + 1, event.label]] : []
    );
  }
}
