import { withTimeout } from "../../async/with_timeout.ts";
import { AnswerReader } from "../../../client/connections/answer_reader.ts";
import type { TcpAddress, UnixAddress } from "../../model/address.ts";

/** Where a source listens. */
export type SourceAddress =
  | UnixAddress
  | (TcpAddress & { readonly tls: boolean; readonly caCerts?: string[] });

/** The time limits for waiting for a source. */
export interface TimeLimits {
  readonly connectSeconds: number;
  /** For the first piece of a response, and between two pieces. */
  readonly stallSeconds: number;
}

const BUFFER_BYTES = 256 * 1024;

/** A connection on which every wait ends: with data, a time limit, or the program's stop. */
export class TimedConn implements Disposable {
  readonly answers = new AnswerReader(this, BUFFER_BYTES);
  readonly #conn: Deno.Conn;
  readonly #limits: TimeLimits;
  readonly #stopped: AbortSignal;
  #isClosed = false;

  private constructor(conn: Deno.Conn, limits: TimeLimits, stopped: AbortSignal) {
    this.#conn = conn;
    this.#limits = limits;
    this.#stopped = stopped;
  }

  static async open(address: SourceAddress, limits: TimeLimits, stopped: AbortSignal): Promise<TimedConn> {
    const connecting = connect(address);
    const { connectSeconds } = limits;
    try {
      const late = `no connection within ${connectSeconds} s`;
      return new TimedConn(await inTime(connecting, connectSeconds, stopped, late), limits, stopped);
    } catch (error) {
      // The connection may still succeed later, when it is no longer needed.
      connecting.then((conn) => conn.close(), () => {});
      throw error;
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await this.#inTime(this.#conn.write(rest)));
  }

  async read(into: Uint8Array): Promise<number | null> {
    return await this.#inTime(this.#conn.read(into));
  }

  [Symbol.dispose](): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#conn.close();
  }

  async #inTime<T>(waiting: Promise<T>): Promise<T> {
    const { stallSeconds } = this.#limits;
    try {
      return await inTime(waiting, stallSeconds, this.#stopped, `it sent nothing for ${stallSeconds} s`);
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }
}

async function connect(address: SourceAddress): Promise<Deno.Conn> {
  if (address.transport === "unix") return await Deno.connect({ transport: "unix", path: address.path });
  const { hostname, port, caCerts = [] } = address;
  if (address.tls) return await connectTls({ hostname, port, caCerts, alpnProtocols: ["http/1.1"] });
  const conn = await Deno.connect({ hostname, port });
  conn.setNoDelay(true);
  return conn;
}

async function connectTls(options: Deno.ConnectTlsOptions): Promise<Deno.Conn> {
  const conn = await Deno.connectTls(options);
  try {
    await conn.handshake();
    return conn;
  } catch (error) {
    conn.close();
    const { message } = error as Error;
    // The TLS library reports this when the other side answers in plain text.
    if (/InvalidContentType/.test(message)) {
      throw new Error("it does not speak TLS: use http:// instead of https://");
    }
    if (!/Issuer|AsEndEntity/.test(message)) throw error;
    throw new Error("the certificate's authority is not trusted: name it with sourceCaFile");
  }
}

/** Awaits a promise, unless it takes too long or the program stops. @param late the message when it takes too long */
async function inTime<T>(
  waiting: Promise<T>,
  seconds: number,
  stopped: AbortSignal,
  late: string,
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(stopped.reason as Error);
  stopped.addEventListener("abort", stop);
  if (stopped.aborted) stop();
  try {
    return await withTimeout(Promise.race([waiting, promise]), seconds * 1000, () => {
      throw new Error(late);
    });
  } finally {
    stopped.removeEventListener("abort", stop);
  }
}
