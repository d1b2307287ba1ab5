import type { Query } from "../filter/query.ts";
import { type BodyText, bodyText } from "./body_text.ts";
import type { EventProof } from "../proof/event_proof.ts";
import type { StoredEvent } from "./stored_event.ts";

/*
 * Requests to the store through the explorer's server.
 */

/** The page stops reading a page of events after so many bytes. The next request continues there. */
const PAGE_BYTES_MAX = 4_000_000;

const PROOF = "/store/proof";

/** Facts that the explorer's server reports about itself. */
export interface About {
  readonly version: string;
  readonly place: string;
  readonly isSocket: boolean;
  readonly hasToken: boolean;
  readonly allowWrites: boolean;
}

export interface EventsRequest {
  readonly query: Query;
  readonly afterSequence?: number;
  readonly beforeSequence?: number;
  readonly backwards?: boolean;
  readonly limit?: number;
  readonly waitSeconds?: number;
}

export interface EventsPage {
  readonly events: readonly StoredEvent[];
  readonly hasMore: boolean;
  readonly head: number;
}

/** A page of events as the lines that the store sent. */
export interface LinesPage {
  readonly lines: readonly string[];
  readonly hasMore: boolean;
  readonly head: number;
}

/** Reads a page of events. */
export type ReadPage = (request: EventsRequest) => Promise<EventsPage>;

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly seconds: number;
}

/** The store, or the explorer, rejected a request or did not answer. */
export class CallError extends Error {
  /** The code of the store's error, or `Gone` when the explorer's server does not answer. */
  readonly code: string;
  readonly status: number;

  constructor(code: string, status: number, message: string) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** Is notified of the outcome of calls. */
export interface CallListener {
  onAnswer(): void;
  onFailure(error: CallError): void;
  /** Called when an answer comes from another store than the previous one. */
  onOtherStore(id: string): void;
}

export class StoreCalls {
  readonly #key: string;
  readonly #listener: CallListener;
  storeId: string | undefined;

  constructor(key: string, listener: CallListener) {
    this.#key = key;
    this.#listener = listener;
  }

  async about(): Promise<About> {
    return JSON.parse((await this.#good("GET", "/about")).text);
  }

  async text(path: string, signal?: AbortSignal): Promise<string> {
    return (await this.#good("GET", `/store${path}`, undefined, signal)).text;
  }

  /** Reads a page of events, or the beginning of a large one. @throws CallError when the answer broke off */
  async events(request: EventsRequest, signal?: AbortSignal): Promise<EventsPage> {
    const { lines, hasMore, head } = await this.eventLines(request, signal);
    return { events: lines.map((line) => JSON.parse(line)), hasMore, head };
  }

  /** Like `events`, but does not parse them. */
  eventLines(request: EventsRequest, signal?: AbortSignal): Promise<LinesPage> {
    return this.#lines("/store/events", request, signal);
  }

  /** Reads an event as it is stored: with its encrypted payload. Undefined when the store has no such event. */
  async storedLine(sequence: number, signal: AbortSignal): Promise<string | undefined> {
    const request = { afterSequence: sequence - 1, limit: 1 };
    return (await this.#lines("/store/events/stored", request, signal)).lines[0];
  }

  /** Reads the proof that the present root covers an event. Nothing in it is checked. */
  async proof(sequence: number, signal: AbortSignal): Promise<Partial<EventProof>> {
    return JSON.parse((await this.#good("GET", `${PROOF}?sequence=${sequence}`, undefined, signal)).text);
  }

  async #lines(path: string, request: object, signal: AbortSignal | undefined): Promise<LinesPage> {
    const answer = await this.#good("QUERY", path, JSON.stringify(request), signal, PAGE_BYTES_MAX);
    // The next page reads an incomplete last line again.
    const lines = answer.text.split("\n").slice(0, -1);
    const last = JSON.parse(lines.at(-1) ?? "{}");
    const isWhole = typeof last.hasMore === "boolean";
    if (!isWhole && !answer.isLeft) throw new CallError("Broken", 0, "the answer of the store broke off");
    if (isWhole) lines.pop();
    const head = Number(answer.headers.get("x-service-head") ?? 0);
    return { lines, hasMore: isWhole ? last.hasMore : true, head };
  }

  /** Sends a request. Returns every answer of the store, errors included. */
  async send(
    method: string,
    path: string,
    body?: string,
    headers?: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<Answer> {
    return await this.#send(method, `/store${path}`, body, headers ?? {}, signal);
  }

  async #good(
    method: string,
    path: string,
    body?: string,
    signal?: AbortSignal,
    bytesMax?: number,
  ): Promise<Answer & BodyText> {
    const answer = await this.#send(method, path, body, {}, signal, bytesMax);
    if (answer.status < 300) return answer;
    throw errorOf(answer);
  }

  async #send(
    method: string,
    path: string,
    body: string | undefined,
    headers: Readonly<Record<string, string>>,
    signal?: AbortSignal,
    bytesMax?: number,
  ): Promise<Answer & BodyText> {
    const begun = performance.now();
    let answer: Answer & BodyText;
    let response: Response | undefined;
    try {
      response = await fetch(path, {
        method,
        body: body ?? null,
        headers: { ...headers, "x-explorer-key": this.#key },
        signal: signal ?? null,
      });
      const read = await bodyText(response, bytesMax);
      const seconds = (performance.now() - begun) / 1000;
      answer = { status: response.status, headers: response.headers, seconds, ...read };
    } catch (error) {
      if (signal?.aborted) throw error;
      const lost = response === undefined
        ? new CallError("Gone", 0, "the explorer does not answer")
        : new CallError("Broken", 0, "the store broke off its answer");
      this.#listener.onFailure(lost);
      throw lost;
    }
    this.#report(answer, path);
    return answer;
  }

  #report(answer: Answer, path: string): void {
    const { status, headers } = answer;
    // The store is there, but has not hashed enough events yet.
    const lacksHashes = status === 503 && path.startsWith(PROOF);
    // The explorer's server was restarted and has another key.
    const isKeyWrong = status === 403 && errorOf(answer).code === "Forbidden";
    const isFailure = status === 401 || status >= 502 || isKeyWrong;
    if (isFailure && !lacksHashes) return this.#listener.onFailure(errorOf(answer));
    this.#listener.onAnswer();
    const id = headers.get("x-service-store");
    if (id === null || id === this.storeId) return;
    const isOther = this.storeId !== undefined;
    this.storeId = id;
    if (isOther) this.#listener.onOtherStore(id);
  }
}

/** The error of an answer. */
export function errorOf({ status, text }: Answer): CallError {
  try {
    const { error, message } = JSON.parse(text);
    return new CallError(String(error), status, String(message));
  } catch {
    return new CallError(status === 403 ? "Forbidden" : "Error", status, text.trim() || `status ${status}`);
  }
}
