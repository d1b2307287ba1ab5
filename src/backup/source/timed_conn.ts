import { within } from "../../async/within.ts";
import type { TcpAddress, UnixAddress } from "../../model/address.ts";

/** Where a source listens. */
export type SourceAddress = UnixAddress | (TcpAddress & { readonly tls: boolean });

/** The time limits for waiting for a source. */
export interface TimeLimits {
  readonly connectSeconds: number;
  /** For the first piece of a response, and between two pieces. */
  readonly stallSeconds: number;
}

/** The other side closed the connection before its response was complete. */
export class CutShort extends Error {
  constructor() {
    super("the connection ended in the middle of a response");
  }
}

const BUFFER_BYTES = 256 * 1024;

const latin1 = new TextDecoder("latin1");

/** A connection on which every wait ends: with data, a time limit, or the program's stop. */
export class TimedConn implements Disposable {
  readonly #conn: Deno.Conn;
  readonly #limits: TimeLimits;
  readonly #stopped: AbortSignal;
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  #start = 0;
  #end = 0;
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

  /** Reads some bytes, at most `bytesMax`, which stay unchanged until the next read; undefined at the end. */
  async some(bytesMax: number): Promise<Uint8Array | undefined> {
    if (this.#start === this.#end && !await this.#fill()) return undefined;
    const length = Math.min(bytesMax, this.#end - this.#start);
    this.#start += length;
    return this.#buffer.subarray(this.#start - length, this.#start);
  }

  /**
   * Reads a line in Latin-1, without its line end.
   * @throws CutShort when the connection ends before the line does
   */
  async line(bytesMax: number): Promise<string> {
    let line = "";
    for (;;) {
      if (this.#start === this.#end && !await this.#fill()) throw new CutShort();
      // A TLS alert has no end of line.
      const isTls = line === "" && this.#buffer[this.#start] === 0x15 &&
        this.#buffer[this.#start + 1] === 0x03;
      if (isTls) throw new Error("it speaks TLS: use https:// instead of http://");
      const found = this.#buffer.subarray(0, this.#end).indexOf(0x0a, this.#start);
      const end = found < 0 ? this.#end : found;
      if (line.length + end - this.#start > bytesMax) throw new Error("it sent an endless head");
      line += latin1.decode(this.#buffer.subarray(this.#start, end));
      this.#start = found < 0 ? end : found + 1;
      if (found >= 0) return line.endsWith("\r") ? line.slice(0, -1) : line;
    }
  }

  [Symbol.dispose](): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#conn.close();
  }

  async #fill(): Promise<boolean> {
    this.#start = this.#end = 0;
    this.#end = await this.#inTime(this.#conn.read(this.#buffer)) ?? 0;
    return this.#end > 0;
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
  const { hostname, port } = address;
  if (address.tls) return await Deno.connectTls({ hostname, port, alpnProtocols: ["http/1.1"] });
  const conn = await Deno.connect({ hostname, port });
  conn.setNoDelay(true);
  return conn;
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
    return await within(Promise.race([waiting, promise]), seconds * 1000, () => {
      throw new Error(late);
    });
  } finally {
    stopped.removeEventListener("abort", stop);
  }
}
