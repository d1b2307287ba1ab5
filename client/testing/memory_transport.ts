import type { Transport, TransportReply, TransportRequest } from "../transport/transport.ts";
import { checkBody, checkEvents, checkRead, checkWrite, type Limits } from "./checks.ts";
import { EventsInMemory, type PageInMemory } from "./events_in_memory.ts";
import { ProjectionsInMemory } from "./projections_in_memory.ts";
import { invalid, Rejection } from "./rejection.ts";
import type { ForgetBody, ReadBody, WriteBody } from "./wire_types.ts";

/** The most events that come with a request to forget. */
const FORGET_EVENTS_MAX = 100;

/** The server behind a store in memory. */
export interface MemoryServer {
  /** The clock that gives events their time. */
  readonly now: () => Date;
  /** Names of the identifiers that stand for a person. */
  readonly subjects: readonly string[];
  readonly limits: Limits;
}

/** An answer before it is sent. */
interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Answers requests as a server of edition A with its default settings does, from a store in memory. The client in front
 * of it is the real one, so its errors, repetitions and conditions are real, too.
 */
export class MemoryTransport implements Transport {
  readonly address = "the store in memory";
  readonly #server: MemoryServer;
  #storeId = "";
  #events!: EventsInMemory;
  #projections!: ProjectionsInMemory;
  /** Called after each write. */
  readonly #waiting = new Set<() => void>();

  constructor(server: MemoryServer) {
    this.#server = server;
    this.#reset();
  }

  async send(request: TransportRequest): Promise<TransportReply> {
    request.signal.throwIfAborted();
    try {
      return replyOf(await this.#answer(request));
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      const { status, code, message, facts } = error;
      const body = JSON.stringify({ error: code, ...message && { message }, ...facts });
      const headers = code === "ProjectionNotFound" ? this.#store() : {};
      return replyOf({ status, headers: { ...headers, "x-service-error": code }, body });
    }
  }

  async #answer({ method, path, body = "", signal }: TransportRequest): Promise<Answer> {
    checkBody(body, this.#server.limits);
    const [route = "", query = ""] = path.split("?");
    const [, first, ...segments] = route.split("/").map(decodeURIComponent);
    switch (`${method} /${first} ${segments.length}`) {
      case "QUERY /events 0":
        return await this.#read(parsed(body), signal);
      case "POST /write 0":
        return this.#write(parsed(body));
      case "POST /forget 0":
        if (this.#server.subjects.length) return this.#forget(parsed(body));
        break;
      case "GET /projections 0":
        return this.#list(new URLSearchParams(query));
      case "GET /projections 2":
        return this.#projection(segments[0]!, segments[1]!);
      case "DELETE /projections 0":
      case "DELETE /projections 1":
        this.#projections.delete(segments[0]);
        return { status: 204 };
      case "POST /reset 0":
        this.#reset();
        return { status: 204 };
    }
    return { status: 404, headers: { "x-service-error": "InvalidRequest" }, body: "unknown path" };
  }

  #reset(): void {
    this.#storeId = crypto.randomUUID();
    this.#events = new EventsInMemory(this.#storeId, this.#server.subjects);
    this.#projections = new ProjectionsInMemory();
    this.#committed();
  }

  #write(write: WriteBody): Answer {
    checkWrite(write, this.#server.limits);
    const { events = [], conditions = [], projections = {} } = write;
    this.#events.checkConditions(conditions);
    this.#projections.check(projections);
    const versions = this.#projections.write(projections);
    const written = this.#events.append(events, this.#time());
    this.#committed();
    return { headers: this.#store(), body: JSON.stringify({ events: written, projections: versions }) };
  }

  #forget({ identifier: { name, value }, events = [] }: ForgetBody): Answer {
    if (events.length > FORGET_EVENTS_MAX) {
      throw invalid(`events has ${events.length} items, more than ${FORGET_EVENTS_MAX}`);
    }
    if (!name) throw invalid("identifier: name must not be empty");
    checkEvents(events, this.#server.limits);
    const forgotten = this.#events.forget(name, value);
    const written = this.#events.append(events, this.#time());
    this.#committed();
    return { headers: this.#store(), body: JSON.stringify({ forgotten, events: written }) };
  }

  async #read(read: ReadBody, signal: AbortSignal): Promise<Answer> {
    const limit = checkRead(read, this.#server.limits);
    const { query, afterSequence: after = 0, beforeSequence: before = Infinity, backwards = false } = read;
    const page = (): PageInMemory => this.#events.page(query, { after, before, backwards, limit });
    const endsAt = Date.now() + 1000 * (read.waitSeconds ?? 0);
    const storeId = this.#storeId;
    let found = page();
    // No event before that sequence can come any more when the store has reached it.
    while (!found.events.length && Date.now() < endsAt && this.#events.head + 1 < before) {
      await this.#nextWrite(endsAt, signal);
      found = page();
      if (this.#storeId !== storeId) break;
    }
    const lines = [...found.events, { hasMore: found.hasMore }].map((line) => `${JSON.stringify(line)}\n`);
    return { headers: { ...this.#store(), "x-service-head": String(found.head) }, body: lines.join("") };
  }

  #projection(type: string, id: string): Answer {
    const found = this.#projections.get(type, id);
    if (!found) throw new Rejection(404, "ProjectionNotFound", undefined);
    return { headers: { ...this.#store(), "x-service-version": found.version }, body: found.payload };
  }

  #list(query: URLSearchParams): Answer {
    const type = query.get("type") ?? undefined;
    const limit = Number(query.get("limit") ?? Infinity);
    if (!(limit >= 1) || !Number.isInteger(limit) && limit < Infinity) {
      throw invalid("limit must be an integer of at least 1");
    }
    if (type === "") throw invalid("type must not be empty");
    const cursor = query.get("after");
    const { listed, hasMore } = this.#projections.list({ type, limit, after: cursorOf(cursor, type) });
    const lines = [...listed, { hasMore }].map((line) => `${JSON.stringify(line)}\n`);
    return { headers: this.#store(), body: lines.join("") };
  }

  #store(): Record<string, string> {
    return { "x-service-store": this.#storeId };
  }

  /** The time of a write, in the form of the server. */
  #time(): string {
    return this.#server.now().toISOString().replace("Z", "000Z");
  }

  #committed(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Waits for the next write, or until a time. @throws the reason of the signal */
  async #nextWrite(endsAt: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const timer = setTimeout(wake, endsAt - Date.now());
      this.#waiting.add(wake);
      signal.addEventListener("abort", wake);
    });
    signal.throwIfAborted();
  }
}

/** `null` for an optional key means that it is left out. */
function parsed<Body>(text: string): Body {
  return JSON.parse(text, (_, value) => value ?? undefined);
}

/** The projection after which a list continues. */
function cursorOf(cursor: string | null, type: string | undefined): { type: string; id: string } | undefined {
  if (cursor === null) return undefined;
  if (type !== undefined) return { type, id: cursor };
  const [ofType = "", id = ""] = cursor.split("/").map(decodeURIComponent);
  return { type: ofType, id };
}

function replyOf({ status = 200, headers = {}, body = "" }: Answer): TransportReply {
  const all = { ...headers, "content-length": String(body.length) };
  return {
    status,
    header: (name) => Object.hasOwn(all, name) ? all[name as keyof typeof all] : undefined,
    text: () => Promise.resolve(body),
    pieces: () => new Response(body).body!,
  };
}
