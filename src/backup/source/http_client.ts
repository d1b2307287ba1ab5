import { AnswerBody } from "../../../client/connections/answer_body.ts";
import { type AnswerHead, CutShort } from "../../../client/connections/answer_reader.ts";
import { type SourceAddress, TimedConn, type TimeLimits } from "./timed_conn.ts";

/** The head of a response, and its body as it is received. */
export interface Answer extends AnswerHead {
  /**
   * The body in pieces. Each stays unchanged until the next one is requested. Throws when the connection ends before
   * the body does.
   */
  readonly body: AsyncGenerator<Uint8Array, void>;
}

/** The connection ended before the response began. */
class NoAnswer extends Error {}

/** The ways in which a connection ends. */
const CUTS = [
  CutShort,
  Deno.errors.ConnectionReset,
  Deno.errors.BrokenPipe,
  Deno.errors.ConnectionAborted,
  Deno.errors.UnexpectedEof,
];

/**
 * Sends requests to one server, one after the other over one connection. docs/decisions/backup_client.md says why it
 * is not `fetch`.
 */
export class HttpClient implements Disposable {
  readonly #address: SourceAddress;
  readonly #limits: TimeLimits;
  readonly #stopped: AbortSignal;
  #conn: TimedConn | undefined;

  constructor(address: SourceAddress, limits: TimeLimits, stopped: AbortSignal) {
    this.#address = address;
    this.#limits = limits;
    this.#stopped = stopped;
  }

  /** Sends a request, which must be safe to send twice. The caller must read the response's body to its end. */
  async request(bytes: Uint8Array): Promise<Answer> {
    const kept = this.#conn;
    this.#conn = undefined;
    try {
      if (kept !== undefined) return await this.#exchange(kept, bytes);
    } catch (error) {
      // A server may close an idle connection at any time, even just now.
      if (!(error instanceof NoAnswer)) throw error;
    }
    return await this.#exchange(await TimedConn.open(this.#address, this.#limits, this.#stopped), bytes);
  }

  [Symbol.dispose](): void {
    this.#conn?.[Symbol.dispose]();
    this.#conn = undefined;
  }

  async #exchange(conn: TimedConn, bytes: Uint8Array): Promise<Answer> {
    try {
      const head = await conn.answers.finalHead(await firstStatus(conn, bytes));
      return { ...head, body: this.#body(conn, new AnswerBody(conn.answers, head)) };
    } catch (error) {
      conn[Symbol.dispose]();
      throw error;
    }
  }

  async *#body(conn: TimedConn, body: AnswerBody): Answer["body"] {
    try {
      yield* body.pieces();
    } finally {
      if (body.keepsConnection) this.#conn = conn;
      else conn[Symbol.dispose]();
    }
  }
}

/** Sends a request. @returns the status in the first line of the response */
async function firstStatus(conn: TimedConn, request: Uint8Array): Promise<number> {
  try {
    await conn.write(request);
    return await conn.answers.status();
  } catch (error) {
    const isCut = CUTS.some((cut) => error instanceof cut);
    throw isCut ? new NoAnswer("it closed the connection without a response") : error;
  }
}
