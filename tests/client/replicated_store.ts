import type { StoredEvent, Transport, TransportReply, TransportRequest } from "../../client/mod.ts";
import { matches } from "../../client/queries.ts";
import { queryOf } from "../../client/testing/events_in_memory.ts";
import type { QueryBody } from "../../client/testing/wire_types.ts";
import { type ScriptedAnswer, ScriptedTransport } from "./faulty_transport.ts";

/** The fields of the body of `POST /write` that the model uses. */
interface WireWrite {
  readonly conditions: readonly {
    readonly failIfEventsMatch: QueryBody;
    readonly afterSequence?: number;
    readonly store?: string;
  }[];
  readonly events: readonly Omit<StoredEvent, "sequence" | "time">[];
}

/** The fields of the body of `QUERY /events` that the model uses. */
interface WireRead {
  readonly query: QueryBody;
  readonly afterSequence: number;
  readonly headAtLeast?: number;
}

/** One of several servers of a store: it reads from a replica of its own, which lags. */
interface ModelServer {
  /** The head of its replica. */
  replica: number;
  /** The last head of the store of which this server was notified. */
  known: number;
}

/**
 * A model in memory of edition A on PostgreSQL: a primary and several servers, each with its own replica. The server
 * of a request and the lag of each replica are random.
 */
export class ReplicatedStore {
  storeId: string = crypto.randomUUID();
  readonly events: StoredEvent[] = [];
  /** The head after each write. */
  readonly #heads = [0];
  readonly #below: (max: number) => number;
  readonly #servers: ModelServer[];
  /** True when events were lost, and no server has noticed. */
  #hasLost = false;
  /** True when replicas receive new writes. */
  isReplicating = true;

  /** @param below gives a random whole number from 0 and below another */
  constructor(servers: number, below: (max: number) => number) {
    this.#below = below;
    this.#servers = Array.from({ length: servers }, () => ({ replica: 0, known: 0 }));
  }

  /** Sends a request to a random server, and returns its answer. */
  answer(request: Pick<TransportRequest, "path" | "body">): Promise<TransportReply> {
    const server = this.#servers[this.#below(this.#servers.length)]!;
    for (const each of this.#servers) this.#catchUp(each);
    const body = JSON.parse(request.body!);
    return request.path === "/write" ? this.#write(server, body) : this.#read(server, body);
  }

  /** Appends events of another writer, of which no server is notified yet. */
  append(...events: readonly Omit<StoredEvent, "sequence" | "time">[]): void {
    this.#noticeLoss();
    for (const event of events) this.events.push({ ...event, sequence: this.events.length + 1, time: "" });
    this.#heads.push(this.events.length);
  }

  /** Fails over to a replica that lacks events. The next write notices, and gives the store another ID. */
  loseEvents(): void {
    this.#heads.length -= this.#below(this.#heads.length);
    this.events.length = this.#heads.at(-1)!;
    this.#hasLost = true;
    for (const server of this.#servers) {
      server.replica = Math.min(server.replica, this.events.length);
      server.known = Math.min(server.known, this.events.length);
    }
  }

  /** How many events carry a metadata entry. */
  count(name: string, value: string): number {
    return this.events.filter(({ metadata }) => metadata[name] === value).length;
  }

  #noticeLoss(): void {
    if (this.#hasLost) this.storeId = crypto.randomUUID();
    this.#hasLost = false;
  }

  #catchUp(server: ModelServer): void {
    if (!this.isReplicating) return;
    // A replica has all events of a write or none.
    const ahead = this.#heads.filter((head) => head >= server.replica);
    if (this.#below(5) === 0) server.replica = ahead[this.#below(ahead.length)]!;
    if (this.#below(5) === 0) server.known = this.events.length;
  }

  #read(server: ModelServer, { query, afterSequence, headAtLeast = 0 }: WireRead): Promise<TransportReply> {
    const pageAt = (head: number): readonly StoredEvent[] =>
      this.events.slice(afterSequence, head).filter((event) => matches(queryOf(query), event));
    const isBehind = server.replica < Math.max(afterSequence, headAtLeast) ||
      server.replica < server.known && pageAt(server.replica).length === 0;
    const head = isBehind ? this.events.length : server.replica;
    const lines = [...pageAt(head), { hasMore: false }];
    return reply(200, lines.map((line) => `${JSON.stringify(line)}\n`).join(""), {
      "x-service-store": this.storeId,
      "x-service-head": String(head),
    });
  }

  #write(server: ModelServer, { conditions, events }: WireWrite): Promise<TransportReply> {
    this.#noticeLoss();
    for (const [condition, { failIfEventsMatch, afterSequence = 0, store }] of conditions.entries()) {
      if (store !== undefined && store !== this.storeId) return conflict({ condition });
      const found = this.events.slice(afterSequence).find((event) =>
        matches(queryOf(failIfEventsMatch), event)
      );
      if (found !== undefined) return conflict({ condition, sequence: found.sequence });
    }
    this.append(...events);
    server.known = this.events.length;
    const written = events.map((_, i) => ({
      sequence: this.events.length - events.length + i + 1,
      time: "",
    }));
    const body = { events: written, projections: { create: [], replace: [] } };
    return reply(200, JSON.stringify(body), { "x-service-store": this.storeId });
  }
}

function conflict(place: object): Promise<TransportReply> {
  const body = JSON.stringify({ error: "ConcurrencyException", conflict: place });
  return reply(409, body, { "x-service-error": "ConcurrencyException" });
}

function reply(status: number, body: string, headers: Record<string, string>): Promise<TransportReply> {
  return new ScriptedTransport({ status, body, headers }).send({} as TransportRequest);
}

/** A fault that one request meets on the way to the store or back. */
export type Misfortune =
  /** The request never arrives. */
  | "lost"
  /** The request arrives, and its answer does not. */
  | "answer lost"
  /** The request arrives after this number of further requests, and its answer never does. */
  | { readonly arrivesAfter: number }
  /** A proxy gives this answer. `arrives`: the server has received the request, too. */
  | { readonly answered: ScriptedAnswer; readonly arrives: boolean };

/** A transport to a store. It applies misfortunes to requests by their number, from 1. */
export class UnluckyTransport implements Transport {
  requests = 0;
  readonly #store: ReplicatedStore;
  readonly #misfortunes: ReadonlyMap<number, Misfortune>;
  readonly #onRequest: (request: TransportRequest) => void;
  #late: { readonly due: number; readonly request: TransportRequest }[] = [];

  constructor(
    store: ReplicatedStore,
    misfortunes: ReadonlyMap<number, Misfortune>,
    onRequest: (request: TransportRequest) => void = () => {},
  ) {
    this.#store = store;
    this.#misfortunes = misfortunes;
    this.#onRequest = onRequest;
  }

  async send(request: TransportRequest): Promise<TransportReply> {
    const number = ++this.requests;
    this.#onRequest(request);
    await this.deliver(number);
    const misfortune = this.#misfortunes.get(number);
    if (misfortune === "lost") throw new Error("the request is lost");
    if (typeof misfortune === "object" && "arrivesAfter" in misfortune) {
      this.#late.push({ due: number + misfortune.arrivesAfter, request });
      throw new Error("the request is late");
    }
    if (typeof misfortune === "object") {
      if (misfortune.arrives) await this.#store.answer(request);
      return await new ScriptedTransport(misfortune.answered).send(request);
    }
    const answer = await this.#store.answer(request);
    if (misfortune === "answer lost") throw new Error("the answer is lost");
    return answer;
  }

  /** Delivers late requests, by default all of them. */
  async deliver(number = Infinity): Promise<void> {
    const all = this.#late;
    this.#late = all.filter(({ due }) => due > number);
    for (const { due, request } of all) {
      if (due <= number) await this.#store.answer(request);
    }
  }
}
