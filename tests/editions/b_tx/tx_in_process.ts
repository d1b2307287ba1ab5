import { EVERYTHING } from "../../../src/model/access.ts";
import { nowMicros } from "../../../src/time/clock.ts";
import type { ServerSettings } from "../../../src/config/load.ts";
import { BodyDecoding } from "../../../src/editions/shared/decoding/body_decoding.ts";
import { TX_DECODERS } from "../../../src/editions/b_tx/tx_requests.ts";
import type { EditionParts } from "../../../src/editions/b_tx/edition_parts.ts";
import { OpenTransactions } from "../../../src/editions/b_tx/open_transactions.ts";
import { Pause } from "../../../src/editions/b_tx/pause.ts";
import { Statistics } from "../../../src/editions/b_tx/statistics.ts";
import { pauseRoutes } from "../../../src/editions/b_tx/pause_routes.ts";
import { txRoutes } from "../../../src/editions/b_tx/tx_routes.ts";
import type { Reply } from "../../../src/http/exchange.ts";
import { errorReply } from "../../../src/http/error_replies.ts";
import { makeRouter } from "../../../src/http/router.ts";
import { matches } from "../../../src/model/query.ts";
import type { ProjectionKey } from "../../../src/model/projection.ts";
import type { Chunk, ChunkRequest } from "../../../src/store/api/chunk.ts";
import { done } from "../../../src/store/api/outcome.ts";
import type { Store } from "../../../src/store/api/store.ts";
import type { Conflict, StoreWrite, WriteResult } from "../../../src/store/api/write.ts";
import { ReadsInFlight } from "../../../src/editions/shared/reads_in_flight.ts";
import type { Admission } from "../../../src/write_queue/admission.ts";
import { StoreViews } from "../../../src/view/store_view.ts";
import { eventLine, parseQueried } from "../../../src/wire/event.ts";

const UNCOUNTED = new ReadsInFlight({ subscriptions: 0 });

const encoder = new TextEncoder();

/** A store in memory with the operations that the routes of a transaction need. */
export class MemoryStore {
  events: { timeMicros: number; body: string }[] = [];
  readonly projections = new Map<string, { version: string; payload: Uint8Array<ArrayBuffer> }>();
  #versions = 0;

  put(type: string, id: string, payload: string): void {
    this.projections.set(`${type}/${id}`, {
      version: `v${++this.#versions}`,
      payload: encoder.encode(payload),
    });
  }

  readChunk({ query, afterSequence: after, head = this.events.length }: ChunkRequest): Promise<Chunk> {
    const lines = this.events.slice(after, head).flatMap(({ timeMicros, body }, i) =>
      matches(query, parseQueried(body)) ? [eventLine({ sequence: after + i + 1, timeMicros, body })] : []
    );
    return Promise.resolve({
      storeId: "store",
      head: this.events.length,
      lines: encoder.encode(lines.join("")),
      events: lines.length,
      last: head,
      end: { hasMore: false },
    });
  }

  write({ conditions, projections, events }: StoreWrite): WriteResult {
    const conflict = this.#conflict({ conditions, projections, events });
    if (conflict !== undefined) return { kind: "conflict", conflict };
    this.events.push(...events);
    for (const { type, id, payload } of [...projections.create, ...projections.replace]) {
      this.put(type, id, payload);
    }
    for (const { type, id } of projections.delete) this.projections.delete(`${type}/${id}`);
    return { kind: "written", storeId: "store", firstSequence: 1, versions: { create: [], replace: [] } };
  }

  #conflict({ conditions, projections }: StoreWrite): Conflict | undefined {
    for (const [index, { failIfEventsMatch, afterSequence }] of conditions.entries()) {
      const since = this.events.slice(afterSequence);
      const place = since.findIndex(({ body }) => matches(failIfEventsMatch, parseQueried(body)));
      if (place >= 0) {
        return { list: "conditions", index, cause: "eventMatches", sequence: afterSequence + place + 1 };
      }
    }
    for (const [index, { type, id }] of projections.create.entries()) {
      if (this.projections.has(`${type}/${id}`)) return { list: "create", index, cause: "exists" };
    }
    for (const list of ["replace", "delete"] as const) {
      for (const [index, { type, id, version }] of projections[list].entries()) {
        if (this.projections.get(`${type}/${id}`)?.version !== version) {
          return { list, index, cause: "otherVersion" };
        }
      }
    }
    return undefined;
  }
}

export interface InProcessOptions {
  readonly maxOpenTx?: number;
  readonly maxEventsPerTx?: number;
  readonly maxReadsPerTx?: number;
  readonly maxProjectionsPerTx?: number;
  readonly idleSeconds?: number;
  readonly pausedSinceMicros?: number;
}

/** The routes of `/tx` and of the pause with a store in memory, without a server, workers or sockets. */
export class InProcess implements Disposable {
  store = new MemoryStore();
  /** The start of the pause, as persisted in the database. */
  pausedSinceMicros: number | undefined;
  readonly edition: EditionParts;
  readonly #route: ReturnType<typeof makeRouter>;
  readonly #left = new AbortController().signal;

  constructor(options: InProcessOptions = {}) {
    const settings = {
      maxOpenTx: 1_000_000,
      maxEventsPerTx: 100,
      maxReadsPerTx: 100,
      maxProjectionsPerTx: 500,
      maxEventSize: 1000,
      maxTagsPerEvent: 20,
      maxProjectionSize: 1000,
      idleSeconds: 3600,
      ...options,
    };
    const statistics = new Statistics(nowMicros());
    const store = {
      opened: { head: 0 },
      reads: {
        chunk: (request: ChunkRequest) => this.store.readChunk(request),
        projection: ({ type, id }: ProjectionKey) =>
          Promise.resolve({ storeId: "store", projection: this.store.projections.get(`${type}/${id}`) }),
      },
      writer: {
        setPaused: (sinceMicros: number | undefined) => {
          this.pausedSinceMicros = sinceMicros;
          return Promise.resolve(done({ head: this.store.events.length, storeId: "store" }));
        },
      },
    };
    const queue = {
      assertOpen: () => {},
      write: (_: Admission, write: StoreWrite) =>
        Promise.resolve({ outcome: done(this.store.write(write)), lockSeconds: 0 }),
      alone: <T>(_: Admission, run: () => Promise<T>) => run(),
    };
    const catalog = { document: () => Promise.reject(new Error("there is no catalog")) };
    const views = new StoreViews(store as unknown as Store, queue, catalog);
    const host = { settings, views, store, queue };
    this.edition = {
      host,
      statistics,
      transactions: new OpenTransactions(settings, statistics),
      pause: new Pause(options.pausedSinceMicros, nowMicros()),
      decoding: new BodyDecoding({
        decoders: TX_DECODERS,
        worker: new URL("about:blank"), // for bodies larger than any here
        limits: settings as unknown as ServerSettings,
      }),
    } as unknown as EditionParts;
    this.#route = makeRouter([...txRoutes(this.edition, UNCOUNTED), ...pauseRoutes(this.edition)]);
  }

  /** Sends a request to its route, and turns a thrown error into the reply. */
  async request(method: string, path: string, json?: unknown): Promise<Reply> {
    const routing = this.#route(method, path);
    if (routing.kind !== "found") throw new Error(`no route for ${method} ${path}`);
    try {
      return await routing.route.handle({
        segments: routing.segments,
        query: "",
        access: EVERYTHING,
        header: () => undefined,
        body: () => Promise.resolve(encoder.encode(json === undefined ? "" : JSON.stringify(json))),
        discardBody: () => Promise.resolve(),
        releaseBody: () => {},
        disconnected: this.#left,
      });
    } catch (error) {
      return errorReply(error).reply;
    }
  }

  [Symbol.dispose](): void {
    this.edition.transactions.close();
  }
}

/** Returns the body of a reply as text. It reads a stream to its end. */
export async function textOf({ body }: Reply): Promise<string> {
  if (body === null || typeof body === "string") return body ?? "";
  const decoder = new TextDecoder();
  if (body instanceof Uint8Array) return decoder.decode(body);
  let text = "";
  for await (const piece of body) text += decoder.decode(piece, { stream: true });
  return text;
}
