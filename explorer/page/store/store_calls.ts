import type { Query } from "../filter/filter.ts";
import type { StoredEvent } from "./stored_event.ts";

/*
 * Requests to the store, by way of the explorer.
 */

/** What the explorer says of itself. */
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

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly seconds: number;
}

/** The store, or the explorer, refused a request or did not answer. */
export class CallError extends Error {
  /** Of the envelope of the store; `Gone` when the explorer itself does not answer. */
  readonly code: string;
  readonly status: number;

  constructor(code: string, status: number, message: string) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** Hears how calls end. */
export interface CallListener {
  onAnswer(): void;
  onFailure(error: CallError): void;
  /** The store is another one than in the answer before. */
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

  /** A page of events; one that broke off is an error. */
  async events(request: EventsRequest, signal?: AbortSignal): Promise<EventsPage> {
    const answer = await this.#good("QUERY", "/store/events", JSON.stringify(request), signal);
    const lines = answer.text.split("\n");
    if (lines.pop() !== "") throw new CallError("Broken", 0, "the answer of the store broke off");
    const { hasMore } = JSON.parse(lines.pop() ?? "{}");
    if (typeof hasMore !== "boolean") throw new CallError("Broken", 0, "the answer of the store broke off");
    const head = Number(answer.headers.get("x-service-head") ?? 0);
    return { events: lines.map((line) => JSON.parse(line)), hasMore, head };
  }

  /** Whatever the store says, errors too. */
  async send(
    method: string,
    path: string,
    body?: string,
    headers?: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<Answer> {
    return await this.#send(method, `/store${path}`, body, headers ?? {}, signal);
  }

  async #good(method: string, path: string, body?: string, signal?: AbortSignal): Promise<Answer> {
    const answer = await this.#send(method, path, body, {}, signal);
    if (answer.status < 300) return answer;
    throw errorOf(answer);
  }

  async #send(
    method: string,
    path: string,
    body: string | undefined,
    headers: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<Answer> {
    const begun = performance.now();
    let answer: Answer;
    try {
      const response = await fetch(path, {
        method,
        body: body ?? null,
        headers: { ...headers, "x-explorer-key": this.#key },
        signal: signal ?? null,
      });
      const text = await response.text();
      const seconds = (performance.now() - begun) / 1000;
      answer = { status: response.status, text, headers: response.headers, seconds };
    } catch (error) {
      if (signal?.aborted) throw error;
      const gone = new CallError(
        "Gone",
        0,
        "the answer did not arrive: the explorer has ended, or the store broke it off",
      );
      this.#listener.onFailure(gone);
      throw gone;
    }
    this.#tell(answer);
    return answer;
  }

  #tell(answer: Answer): void {
    const { status, headers } = answer;
    // The explorer was started anew, with another key.
    const isKeyWrong = status === 403 && errorOf(answer).code === "Forbidden";
    if (status === 401 || status >= 502 || isKeyWrong) return this.#listener.onFailure(errorOf(answer));
    this.#listener.onAnswer();
    const id = headers.get("x-service-store");
    if (id === null || id === this.storeId) return;
    const isOther = this.storeId !== undefined;
    this.storeId = id;
    if (isOther) this.#listener.onOtherStore(id);
  }
}

function errorOf({ status, text }: Answer): CallError {
  try {
    const { error, message } = JSON.parse(text);
    return new CallError(String(error), status, String(message));
  } catch {
    return new CallError(status === 403 ? "Forbidden" : "Error", status, text.trim() || `status ${status}`);
  }
}
