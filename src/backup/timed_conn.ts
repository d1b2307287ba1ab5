/** Where a source listens. */
export type SourceAddress =
  | { readonly transport: "unix"; readonly path: string }
  | { readonly transport: "tcp"; readonly hostname: string; readonly port: number; readonly tls: boolean };

/** How long a source may be waited for. */
export interface TimeLimits {
  readonly connectSeconds: number;
  /** Between two pieces of an answer, and for the first one. */
  readonly stallSeconds: number;
}

const BUFFER_BYTES = 256 * 1024;

const latin1 = new TextDecoder("latin1");

/** One connection, every wait on which ends: with what was waited for, a time limit, or the stop of the program. */
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
    let isLate = false;
    const conn = await withDeadline(connecting, limits.connectSeconds, stopped, () => isLate = true)
      .catch((error) => {
        // It may still come about, when nobody wants it any more.
        connecting.then((late) => late.close(), () => {});
        throw isLate ? new Error(`no connection within ${limits.connectSeconds} s`) : error;
      });
    return new TimedConn(conn, limits, stopped);
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await this.#inTime(this.#conn.write(rest)));
  }

  /** Some bytes, at most `bytesMax`, which stay as they are until the next read; undefined at the end. */
  async some(bytesMax: number): Promise<Uint8Array | undefined> {
    if (this.#start === this.#end && !await this.#fill()) return undefined;
    const length = Math.min(bytesMax, this.#end - this.#start);
    this.#start += length;
    return this.#buffer.subarray(this.#start - length, this.#start);
  }

  /** A line in Latin-1, without its line end; undefined when the connection ends before it does. */
  async line(bytesMax: number): Promise<string | undefined> {
    let line = "";
    for (;;) {
      if (this.#start === this.#end && !await this.#fill()) return undefined;
      const found = this.#buffer.subarray(0, this.#end).indexOf(0x0a, this.#start);
      const end = found < 0 ? this.#end : found;
      if (line.length + end - this.#start > bytesMax) throw new Error("it sent a head without an end");
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
    let isLate = false;
    try {
      return await withDeadline(waiting, stallSeconds, this.#stopped, () => isLate = true);
    } catch (error) {
      this[Symbol.dispose]();
      throw isLate ? new Error(`nothing came for ${stallSeconds} s`) : error;
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

async function withDeadline<T>(
  waiting: Promise<T>,
  seconds: number,
  stopped: AbortSignal,
  onLate: () => void,
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    onLate();
    reject(new Error("too late"));
  }, seconds * 1000);
  const stop = (): void => reject(stopped.reason as Error);
  stopped.addEventListener("abort", stop);
  if (stopped.aborted) stop();
  try {
    return await Promise.race([waiting, promise]);
  } finally {
    clearTimeout(timer);
    stopped.removeEventListener("abort", stop);
  }
}
