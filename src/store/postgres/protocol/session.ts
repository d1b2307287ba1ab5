import { withTimeout } from "../../../async/with_timeout.ts";
import type { PostgresAddress } from "../../../config/postgres_url.ts";
import { notificationIn, type Row, rowOf } from "./cells.ts";
import { DatabaseError, SessionLost } from "./errors.ts";
import { errorIn, greet, isUnreplicated, nextMessage } from "./greeting.ts";
import type { MessageReader } from "./message_reader.ts";
import { MessageWriter, type Param } from "./message_writer.ts";
import { type Transport, writeAll } from "./transport.ts";

/** SQL, and the values of its parameters `$1`, `$2`, ... */
export interface Statement {
  readonly sql: string;
  readonly params?: readonly Param[];
}

export interface SessionOptions {
  /** Settings of the session. */
  readonly parameters: Readonly<Record<string, string>>;
  /** How long the server may be silent while a request is pending. Then the session is closed. */
  readonly silenceMilliseconds: number;
  /** Called with the notifications of other sessions. */
  readonly onNotification?: ((text: string) => void) | undefined;
}

/** How long connecting and login may take. */
const OPEN_MILLISECONDS = 10_000;

/** Statements that were sent together. */
interface Batch extends PromiseWithResolvers<Row[][]> {
  readonly silenceMilliseconds: number;
  /** The texts of the statements that this batch prepares, in order. */
  readonly preparing: string[];
  readonly results: Row[][];
  current: Row[];
  error: DatabaseError | undefined;
}

/**
 * One connection to PostgreSQL, from its login to its end. It never reconnects, since statements that belong
 * together must stay on one connection. Each SQL text is prepared once.
 */
export class Session {
  /** For a primary: system identifier, timeline ID and OID of the database. They stay the same during a session. */
  timeline = "";
  readonly #conn: Transport;
  readonly #options: SessionOptions;
  readonly #writer = new MessageWriter();
  /** Names of prepared statements by their text. */
  readonly #prepared = new Map<string, string>();
  #names = 0;
  readonly #batches: Batch[] = [];
  #writing: Promise<void> = Promise.resolve();
  #lost: SessionLost | undefined;
  readonly #ended = Promise.withResolvers<void>();
  #silence: ReturnType<typeof setTimeout> | undefined;

  private constructor(conn: Transport, reader: MessageReader, options: SessionOptions) {
    this.#conn = conn;
    this.#options = options;
    this.#receive(reader);
  }

  /** @throws DatabaseError or SessionLost with the reason */
  static async open(address: PostgresAddress, options: SessionOptions): Promise<Session> {
    let conn: Transport | undefined;
    let isOver = false;
    const late = (): never => {
      throw new SessionLost("PostgreSQL does not answer");
    };
    try {
      const greeting = greet(address, options.parameters, (made) => {
        conn = made;
        // The caller has given up waiting for it.
        if (isOver) close(conn);
      });
      const reader = await withTimeout(greeting, OPEN_MILLISECONDS, late);
      return new Session(conn!, reader, options);
    } catch (error) {
      isOver = true;
      close(conn);
      if (error instanceof DatabaseError) throw error;
      throw new SessionLost((error as Error).message);
    }
  }

  get isOpen(): boolean {
    return this.#lost === undefined;
  }

  /** Resolves when the session is no longer open. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /**
   * Sends statements together. PostgreSQL executes them in order, up to the first that fails.
   * @param silenceMilliseconds how long they may take, if longer than usual
   * @returns the rows of each statement
   * @throws DatabaseError, SessionLost
   */
  run(
    statements: readonly Statement[],
    silenceMilliseconds: number = this.#options.silenceMilliseconds,
  ): Promise<Row[][]> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    if (statements.length === 0) return Promise.resolve([]);
    const batch: Batch = {
      ...Promise.withResolvers<Row[][]>(),
      silenceMilliseconds,
      preparing: [],
      results: [],
      current: [],
      error: undefined,
    };
    for (const { sql, params = [] } of statements) {
      let name = this.#prepared.get(sql);
      if (name === undefined) {
        name = `s${this.#names++}`;
        this.#prepared.set(sql, name);
        this.#writer.parse(name, sql);
        batch.preparing.push(sql);
      }
      this.#writer.execute(name, params);
    }
    this.#writer.sync();
    if (this.#batches.push(batch) === 1) this.#beginSilence();
    this.#send();
    return batch.promise;
  }

  /** Rolls back the open transaction, if there is one. A session for which that fails is closed. */
  async rollback(): Promise<void> {
    if (this.isOpen) await this.run([{ sql: "ROLLBACK" }]).catch(() => this.close());
  }

  /** Does work with a session that was just opened, and closes it if that fails. */
  async orClose<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Ends the session. PostgreSQL rolls back an open transaction. */
  async close(): Promise<void> {
    if (this.#lost !== undefined) return;
    this.#writer.terminate();
    this.#send();
    await this.#writing;
    this.#end(new SessionLost("the session was closed"));
  }

  #send(): void {
    const bytes = this.#writer.take();
    this.#writing = this.#writing.then(() => writeAll(this.#conn, bytes)).catch((error) => this.#end(error));
  }

  async #receive(reader: MessageReader): Promise<void> {
    try {
      for (;;) {
        const { kind, body } = await nextMessage(reader);
        this.#take(kind, body);
      }
    } catch (error) {
      this.#end(error as Error);
    }
  }

  /** @throws SessionLost, and Error for messages that PostgreSQL never sends */
  #take(kind: string, body: Uint8Array<ArrayBuffer>): void {
    if (kind === "A") return this.#options.onNotification?.(notificationIn(body));
    const [batch] = this.#batches;
    if (batch === undefined) {
      if (kind === "E") throw new SessionLost(errorIn(body).error.message);
      return;
    }
    switch (kind) {
      case "1":
        return void batch.preparing.shift();
      case "D":
        return void batch.current.push(rowOf(body));
      case "C":
      case "I":
        batch.results.push(batch.current);
        batch.current = [];
        return;
      case "E": {
        const { error, isFatal } = errorIn(body);
        // After such an error, it is unknown whether the last statement had an effect.
        if (isFatal) throw new SessionLost(error.message);
        batch.error = error;
        return;
      }
      case "N":
        if (isUnreplicated(body)) {
          throw new SessionLost("a COMMIT was not confirmed by a synchronous replica");
        }
        return;
      case "Z":
        return this.#finish(batch);
    }
  }

  #finish(batch: Batch): void {
    this.#batches.shift();
    // It is unknown whether later statements were prepared, so they are prepared again under another name.
    for (const sql of batch.preparing) this.#prepared.delete(sql);
    clearTimeout(this.#silence);
    if (this.#batches.length > 0) this.#beginSilence();
    if (batch.error === undefined) batch.resolve(batch.results);
    else batch.reject(batch.error);
  }

  #beginSilence(): void {
    const end = (): void => this.#end(new SessionLost("PostgreSQL does not answer"));
    this.#silence = setTimeout(end, this.#batches[0]!.silenceMilliseconds);
  }

  #end(reason: Error): void {
    if (this.#lost !== undefined) return;
    const lost = this.#lost = reason instanceof SessionLost ? reason : new SessionLost(reason.message);
    clearTimeout(this.#silence);
    close(this.#conn);
    for (const { reject } of this.#batches.splice(0)) reject(lost);
    this.#ended.resolve();
  }
}

function close(conn: Transport | undefined): void {
  try {
    conn?.close();
  } catch {
    // It is closed already.
  }
}
