import { Buffer } from "node:buffer";

/** The head of an answer. */
export interface AnswerHead {
  readonly status: number;
  /** Values by name in lower case. Several values of one name are joined by a comma. */
  readonly headers: ReadonlyMap<string, string>;
}

/** The other side closed the connection before its answer was complete. */
export class CutShort extends Error {
  constructor() {
    super("the connection ended in the middle of a response");
  }
}

/** The maximum of fields in a head or trailer, and of heads before the last one. */
const FIELDS_MAX = 200;
const LINE_BYTES_MAX = 64 * 1024;
const LINE_FEED = 0x0a;
/** The first bytes of a TLS alert, which has no end of line. */
const TLS_ALERT = [0x15, 0x03] as const;

/**
 * Reads the answers of an HTTP/1.1 server, one after the other on one connection. The messages of its errors call the
 * server "it". All bytes that it returns stay unchanged until the caller calls `forget`.
 */
export class AnswerReader {
  readonly #conn: { read(into: Uint8Array): Promise<number | null> };
  #buffer: Uint8Array;
  /** The first byte that the caller may still use. */
  #kept = 0;
  #start = 0;
  #end = 0;

  /** @param bufferBytes the first size of the buffer, which grows to what is not forgotten */
  constructor(conn: { read(into: Uint8Array): Promise<number | null> }, bufferBytes: number) {
    this.#conn = conn;
    this.#buffer = new Uint8Array(bufferBytes);
  }

  /** Makes the memory of all bytes that were returned available again. */
  forget(): void {
    this.#kept = this.#start;
  }

  /** @throws CutShort when the connection ends before the head does */
  async head(): Promise<AnswerHead> {
    return { status: await this.status(), headers: await this.fields("head") };
  }

  /**
   * Reads the head of the answer itself, after informational ones.
   * @param first the status, when the first line was read already
   * @throws CutShort when the connection ends before the head does
   */
  async finalHead(first?: number): Promise<AnswerHead> {
    let status = first ?? await this.status();
    for (let count = 0; count <= FIELDS_MAX; count++) {
      const headers = await this.fields("head");
      if (status >= 200) return { status, headers };
      status = await this.status();
    }
    throw new Error(`it sent more than ${FIELDS_MAX} informational responses`);
  }

  /** True if every byte that was received belongs to an answer. */
  get isDrained(): boolean {
    return this.#start === this.#end;
  }

  /** Reads the first line of a head. */
  async status(): Promise<number> {
    if (!await this.atEnd() && TLS_ALERT.every((byte, i) => this.#buffer[this.#start + i] === byte)) {
      throw new Error("it speaks TLS: use https:// instead of http://");
    }
    const line = await this.line();
    const status = /^HTTP\/1\.[01] ([1-5][0-9]{2})(?: |$)/.exec(line)?.[1];
    if (status === undefined) throw new Error(`it does not speak HTTP: ${JSON.stringify(line.slice(0, 60))}`);
    return Number(status);
  }

  /** Reads fields up to the empty line after them. */
  async fields(part: "head" | "trailer"): Promise<AnswerHead["headers"]> {
    let size = 0;
    for (let count = 0; count <= FIELDS_MAX; count++) {
      const next = this.#lineEnd(size) ?? await this.#moreLineEnd(size);
      const isEmpty = next - size === 1 || (next - size === 2 && this.#buffer[this.#start + size] === 0x0d);
      if (isEmpty) return fieldsIn(latin1(this.#take(next).subarray(0, size)));
      size = next;
    }
    throw new Error(`it sent a ${part} of more than ${FIELDS_MAX} lines`);
  }

  /** Reads a line in Latin-1, without its line end. */
  async line(): Promise<string> {
    const line = latin1(this.#take(this.#lineEnd(0) ?? await this.#moreLineEnd(0)));
    return line.slice(0, line.endsWith("\r\n") ? -2 : -1);
  }

  /** Reads some bytes, at most `bytesMax`; undefined at the end of the connection. */
  async some(bytesMax: number): Promise<Uint8Array | undefined> {
    if (this.#start === this.#end && !await this.#fill()) return undefined;
    return this.#take(Math.min(bytesMax, this.#end - this.#start));
  }

  /** Waits for a byte or the end of the connection. */
  async atEnd(): Promise<boolean> {
    return this.#start === this.#end && !await this.#fill();
  }

  /**
   * Looks for the end of a line that begins at `from`. Counts from the first byte that was not taken.
   * @returns the position after its line feed; undefined when it was not received yet
   */
  #lineEnd(from: number): number | undefined {
    const bytes = this.#buffer.subarray(this.#start, this.#end);
    const found = bytes.indexOf(LINE_FEED, from);
    if ((found < 0 ? bytes.length : found) - from > LINE_BYTES_MAX) {
      throw new Error("it sent an endless head");
    }
    return found < 0 ? undefined : found + 1;
  }

  async #moreLineEnd(from: number): Promise<number> {
    for (;;) {
      if (!await this.#fill()) throw new CutShort();
      const end = this.#lineEnd(from);
      if (end !== undefined) return end;
    }
  }

  #take(count: number): Uint8Array {
    this.#start += count;
    return this.#buffer.subarray(this.#start - count, this.#start);
  }

  /** Waits for more bytes. @returns false at the end of the connection */
  async #fill(): Promise<boolean> {
    if (this.#kept === this.#end) this.#move(this.#buffer);
    else if (this.#end === this.#buffer.length) {
      this.#move(this.#kept > 0 ? this.#buffer : new Uint8Array(2 * this.#buffer.length));
    }
    const count = await this.#conn.read(this.#buffer.subarray(this.#end)) ?? 0;
    this.#end += count;
    return count > 0;
  }

  /** Moves the bytes that are not forgotten to the front of a buffer. */
  #move(buffer: Uint8Array): void {
    buffer.set(this.#buffer.subarray(this.#kept, this.#end));
    this.#buffer = buffer;
    this.#start -= this.#kept;
    this.#end -= this.#kept;
    this.#kept = 0;
  }
}

function fieldsIn(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (let start = 0; start < text.length;) {
    const end = text.indexOf("\n", start);
    const colon = text.indexOf(":", start);
    const name = text.slice(start, colon).toLowerCase();
    const value = text.slice(colon + 1, end).trim();
    const earlier = fields.get(name);
    fields.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
    start = end + 1;
  }
  return fields;
}

/** Returns one character for each byte. */
function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}
