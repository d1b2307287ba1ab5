import { ConnectionLost } from "./errors.ts";
import { errorOf } from "./replies.ts";
import type { Transport, TransportReply } from "./transport/transport.ts";

/** A request to be sent, and what its end means. */
export interface Call {
  readonly method: "QUERY" | "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it may change the store, so that without an answer nobody knows. */
  readonly changes?: boolean;
  /** How long the server may keep silent on purpose, besides the time for an answer. */
  readonly waitSeconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What calls have in common. */
export interface ExchangeSettings {
  readonly transport: Transport;
  readonly headers: Readonly<Record<string, string>>;
  readonly answerSeconds: number;
}

/**
 * One request and its answer. It fails with a `ConnectionLost` when the answer does not come or breaks off, with
 * what the server said when that is an error, and with the reason of the signal when that ended it.
 */
export class Exchange {
  readonly #settings: ExchangeSettings;
  readonly #call: Call;
  readonly #controller = new AbortController();
  readonly #leave = (): void => this.leave();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reply: TransportReply | undefined;

  private constructor(settings: ExchangeSettings, call: Call) {
    this.#settings = settings;
    this.#call = call;
  }

  /** Sends a request and waits for the head of its answer, which is a good one. */
  static async begin(settings: ExchangeSettings, call: Call): Promise<Exchange> {
    const exchange = new Exchange(settings, call);
    await exchange.#send();
    return exchange;
  }

  /** A field of the head that every such answer has; `name` in lower case. */
  header(name: string): string {
    const value = this.#reply!.header(name);
    if (value) return value;
    this.leave();
    throw this.lost("BadAnswer", `an answer without ${name}`);
  }

  /** Whether the head says how long the body is. */
  hasLength(): boolean {
    return Boolean(this.#reply!.header("content-length"));
  }

  /** The whole body. Call it, `pieces` or `leave`, so that the connection can be used again. */
  async text(): Promise<string> {
    try {
      this.#startTimer();
      return await this.#reply!.text();
    } catch (error) {
      throw this.#failure(error);
    } finally {
      this.#over();
    }
  }

  /** The body as it arrives. The time that its reader takes does not count. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    try {
      this.#startTimer();
      for await (const piece of this.#reply!.pieces()) {
        clearTimeout(this.#timer);
        yield piece;
        this.#startTimer();
      }
    } catch (error) {
      throw this.#failure(error);
    } finally {
      this.#over();
    }
  }

  /** Closes the connection, whatever is still to come. */
  leave(): void {
    this.#controller.abort();
    this.#over();
  }

  /** The error for an answer that is not complete. */
  lost(code: string, message: string, cause?: unknown): ConnectionLost {
    return new ConnectionLost(
      { code, status: this.#reply?.status ?? 0, message, cause },
      !!this.#call.changes,
    );
  }

  async #send(): Promise<void> {
    const { method, path, body, headers, waitSeconds, signal, changes } = this.#call;
    signal?.throwIfAborted();
    signal?.addEventListener("abort", this.#leave);
    this.#startTimer(waitSeconds);
    try {
      this.#reply = await this.#settings.transport.send({
        method,
        path,
        headers: { ...this.#settings.headers, ...headers },
        body: JSON.stringify(body),
        signal: this.#controller.signal,
      });
    } catch (error) {
      this.#over();
      throw this.#failure(error);
    }
    const { status } = this.#reply;
    if (status >= 300) throw errorOf(status, await this.text(), !!changes);
  }

  #startTimer(waitSeconds = 0): void {
    clearTimeout(this.#timer);
    const seconds = this.#settings.answerSeconds + waitSeconds;
    this.#timer = setTimeout(() => {
      this.#controller.abort(this.lost("Timeout", `no answer within ${seconds} s`));
    }, 1000 * seconds);
  }

  #over(): void {
    clearTimeout(this.#timer);
    this.#call.signal?.removeEventListener("abort", this.#leave);
  }

  #failure(cause: unknown): unknown {
    const { signal } = this.#call;
    if (signal?.aborted) return signal.reason;
    const { reason } = this.#controller.signal;
    return reason instanceof ConnectionLost ? reason : this.lost("ConnectionLost", String(cause), cause);
  }
}
