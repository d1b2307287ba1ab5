import type { Client, EventLine } from "../../support/client.ts";
import type { Reply } from "../../support/connection.ts";
import type { ServerProcess } from "../../support/server_process.ts";
import { bearer } from "../../support/tokens.ts";

/** The tag to which the token `own` is restricted. */
export const TENANT = { name: "tenant", value: "t1" };

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/g;
const SEQUENCE = /"(sequence|first|last|afterSequence)":(\d+)/g;

/** Headers whose values say nothing, or depend on the length of a sequence. */
const LEFT_OUT = ["date", "content-length", "keep-alive", "connection", "transfer-encoding"];

function isOwn({ identifiers }: EventLine): boolean {
  return [identifiers[TENANT.name] ?? []].flat().includes(TENANT.value);
}

/**
 * One of two servers that must look the same to the token `own`: one with the events of others, or one without. The
 * token is restricted on the first one only.
 */
export class Side {
  readonly own: Client;
  /** A client that sees and may do everything. */
  readonly all: Client;
  /** The versions of the projections that `own` sees, by their paths. */
  readonly versions = new Map<string, string>();
  readonly #every: string;
  /** The events that `own` sees. */
  #events: EventLine[] = [];
  #head = 0;
  readonly #ids = new Map<string, string>();
  readonly #times = new Map<string, string>();

  constructor(server: ServerProcess, every: string) {
    this.own = server.client(bearer("own"));
    this.all = server.client(bearer("all"));
    this.#every = every;
  }

  /** How many events `own` sees. */
  get count(): number {
    return this.#events.length;
  }

  async storeId(): Promise<string> {
    return (await this.all.queryEvents(this.#every, { limit: 1 })).store!;
  }

  /** A position after so many of the events that `own` sees. @param skipped how many events of others to skip, if there are any */
  after(rank: number, skipped: number): number {
    const next = this.#events[rank]?.sequence ?? this.#head + 1;
    return Math.min((this.#events[rank - 1]?.sequence ?? 0) + skipped, next - 1);
  }

  /** The time of an event that `own` sees. */
  timeOf(rank: number): string {
    return this.#events[rank - 1]!.time;
  }

  /** Learns which events there are. */
  async look(): Promise<void> {
    for (let hasMore: boolean | undefined = true; hasMore;) {
      const page = await this.all.queryEvents(this.#every, { afterSequence: this.#head });
      hasMore = page.hasMore;
      this.#head = page.events.at(-1)?.sequence ?? this.#head;
      this.#events.push(...page.events.filter(isOwn));
    }
    for (const [i, { time }] of this.#events.entries()) {
      if (!/^event/.test(this.#times.get(time) ?? "")) this.#times.set(time, `event ${i + 1}`);
    }
  }

  /** The reply as text in which sequences, times and IDs are counted: equal for replies that differ in nothing else. */
  async textOf(reply: Reply): Promise<string> {
    await this.look();
    const headers = [...reply.headers].filter(([name]) => !LEFT_OUT.includes(name)).map(([name, value]) =>
      `${name}: ${name === "x-service-head" ? this.#rank(Number(value)) : value}`
    );
    const text = reply.text
      .replace(SEQUENCE, (_, name, digits) => `"${name}":${this.#placeOf(name, Number(digits))}`)
      .replace(TIME, (time) => numbered(this.#times, time, "time"))
      .replace(/,"within":\{[^}]*\}/, "");
    return [String(reply.status), ...headers.sort(), "", text].join("\n")
      .replace(UUID, (id) => numbered(this.#ids, id, "id"));
  }

  #rank(sequence: number): number {
    // Only an open ticket has events after the head, and then no other client writes.
    if (sequence > this.#head) return this.count + sequence - this.#head;
    return this.#events.filter((event) => event.sequence <= sequence).length;
  }

  #placeOf(name: string, sequence: number): string {
    const rank = this.#rank(sequence);
    const isEvent = sequence > this.#head || this.#events[rank - 1]?.sequence === sequence;
    return name === "afterSequence" || isEvent ? String(rank) : `"of another event: ${sequence}"`;
  }
}

function numbered(known: Map<string, string>, text: string, kind: string): string {
  const number = known.get(text) ?? `${kind} ${known.size + 1}`;
  known.set(text, number);
  return number;
}
