import { ClientLeft } from "../../model/errors.ts";
import { BodyTooLarge, Malformed } from "../exchange.ts";
import { FREE_BYTES } from "./body_budget.ts";
import type { ByteSource } from "./byte_source.ts";
import { type Framing, TOKEN } from "./request_head.ts";

/** Memory that a body begins with. More comes as it arrives: what is announced counts for nothing. */
const FIRST_BYTES = 4 * 1024;

const CHUNK_LINE_BYTES_MAX = 256;
const EXTENSION_BYTES_MAX = 4096;
const TRAILER_BYTES_MAX = 8192;

type Bytes = Uint8Array<ArrayBuffer>;

interface BodyHooks {
  /** Called before more than `FREE_BYTES` are read, with the most that the body may have. */
  readonly makeRoom: (bytes: number) => Promise<void>;
  /** Called after each read. What it throws ends the reading. */
  readonly onProgress: () => void;
}

/** Reads the body of one request, once. */
export class BodyReader {
  readonly #source: ByteSource;
  readonly #framing: Framing;
  readonly #hooks: BodyHooks;
  #state: "unread" | "reading" | "complete" = "unread";

  constructor(source: ByteSource, framing: Framing, hooks: BodyHooks) {
    this.#source = source;
    this.#framing = framing;
    this.#hooks = hooks;
    if (framing.kind === "none") this.#state = "complete";
  }

  /** Whether the next byte of the client belongs to its next request. */
  get complete(): boolean {
    return this.#state === "complete";
  }

  /** Bytes of a body of known length that has not been read at all; Infinity when it is unknown. */
  get unreadBytes(): number {
    if (this.#state === "complete") return 0;
    return this.#state === "unread" && this.#framing.kind === "length" ? this.#framing.bytes : Infinity;
  }

  /** Makes sure that the body may be read. @throws BodyTooLarge when more than `bytesMax` is announced */
  begin(bytesMax: number): void {
    if (this.#state !== "unread") throw new Error("a body can be read only once");
    if (this.#framing.kind === "length" && this.#framing.bytes > bytesMax) throw new BodyTooLarge();
    this.#state = "reading";
  }

  /**
   * Reads the whole body, once `begin` has let it.
   * @throws BodyTooLarge beyond `bytesMax`, Malformed for broken chunks, ClientLeft when the rest never came
   */
  async read(bytesMax: number): Promise<Bytes> {
    const framing = this.#framing;
    if (framing.kind === "none") return new Uint8Array();
    const body = framing.kind === "length"
      ? await this.#readLength(framing.bytes)
      : await this.#readChunks(bytesMax);
    this.#state = "complete";
    return body;
  }

  /** Reads a body of known length and keeps nothing of it. @returns false when the rest of it never came */
  async discard(): Promise<boolean> {
    for (let left = this.unreadBytes; left > 0;) {
      const taken = Math.min(left, this.#source.bytes.length);
      this.#source.skip(taken);
      left -= taken;
      if (left === 0) break;
      if (!await this.#source.more()) return false;
      this.#hooks.onProgress();
    }
    this.#state = "complete";
    return true;
  }

  async #readLength(bytes: number): Promise<Bytes> {
    const arriving = new Arriving(Math.min(bytes, Math.max(FIRST_BYTES, this.#source.bytes.length)));
    await this.#append(arriving, Math.min(bytes, FREE_BYTES));
    if (bytes <= FREE_BYTES) return arriving.bytes;
    await this.#hooks.makeRoom(bytes);
    const whole = new Uint8Array(bytes);
    whole.set(arriving.bytes);
    await this.#fill(whole.subarray(FREE_BYTES));
    return whole;
  }

  async #readChunks(bytesMax: number): Promise<Bytes> {
    const arriving = new Arriving(FIRST_BYTES);
    let extensionBytes = 0;
    let hasRoom = false;
    while (true) {
      this.#takeWholeChunks(arriving, hasRoom ? bytesMax : Math.min(bytesMax, FREE_BYTES));
      const line = await this.#line(CHUNK_LINE_BYTES_MAX);
      const size = chunkSize(line);
      extensionBytes += line.includes(";") ? line.length : 0;
      if (extensionBytes > EXTENSION_BYTES_MAX) throw new Malformed("too many chunk extensions");
      if (size === 0) break;
      const end = arriving.length + size;
      if (end > bytesMax) throw new BodyTooLarge();
      if (end > FREE_BYTES && !hasRoom) {
        await this.#append(arriving, FREE_BYTES - arriving.length);
        await this.#hooks.makeRoom(bytesMax);
        hasRoom = true;
      }
      await this.#append(arriving, end - arriving.length);
      // The chunk is over: only the end of its line may follow.
      await this.#line(0);
    }
    await this.#skipTrailers();
    return arriving.bytes;
  }

  /**
   * Takes the plain chunks that are here already, up to `lengthMax` bytes of the body. A body may consist of nothing but
   * chunks of one byte, so this is made to be fast; whatever is not plain is left to be looked at closely.
   */
  #takeWholeChunks(arriving: Arriving, lengthMax: number): void {
    const { bytes } = this.#source;
    let taken = 0;
    while (true) {
      let at = taken;
      let size = 0;
      for (let digit; at < taken + SIZE_DIGITS_MAX && (digit = hexDigit(bytes[at])) >= 0; at++) {
        size = 16 * size + digit;
      }
      const end = at + 2 + size;
      const isWhole = bytes[at] === CR && bytes[at + 1] === LF && bytes[end] === CR && bytes[end + 1] === LF;
      if (!isWhole || size === 0 || arriving.length + size > lengthMax) break;
      arriving.add(bytes, at + 2, end);
      taken = end + 2;
    }
    this.#source.skip(taken);
  }

  /** Reads so many more bytes. */
  async #append(arriving: Arriving, count: number): Promise<void> {
    for (let left = count; left > 0;) {
      const room = arriving.room(left);
      await this.#fill(room);
      arriving.length += room.length;
      left -= room.length;
    }
  }

  async #skipTrailers(): Promise<void> {
    for (let left = TRAILER_BYTES_MAX; left > 0;) {
      const line = await this.#line(left);
      if (line === "") return;
      if (!TRAILER.test(line)) throw new Malformed('a trailer line is not "name: value"');
      if (HEAD_ONLY.test(line)) throw new Malformed("a trailer field belongs in the head");
      left -= line.length + 2;
    }
    throw new Malformed("the trailers are too long");
  }

  async #fill(into: Bytes): Promise<void> {
    if (!await this.#source.fill(into, this.#hooks.onProgress)) throw new ClientLeft();
  }

  /** A line without its CRLF; the caller checks its content. */
  async #line(bytesMax: number): Promise<string> {
    while (true) {
      const { bytes } = this.#source;
      const end = bytes.indexOf(LF);
      if (end > bytesMax + 1 || (end < 0 && bytes.length > bytesMax + 2)) {
        throw new Malformed("a line of the chunked body is too long");
      }
      if (end >= 0) {
        const line = String.fromCharCode(...bytes.subarray(0, end));
        if (!line.endsWith("\r")) {
          throw new Malformed("a line of the chunked body does not end with CRLF");
        }
        this.#source.skip(end + 1);
        return line.slice(0, -1);
      }
      if (!await this.#source.more()) throw new ClientLeft();
      this.#hooks.onProgress();
    }
  }
}

const CR = 0x0d;
const LF = 0x0a;
const SIZE_DIGITS_MAX = 8;
const QUOTED = String.raw`"(?:[\t\x20\x21\x23-\x5b\x5d-\x7e]|\\[\t\x20-\x7e])*"`;
const CHUNK_LINE = new RegExp(`^([0-9A-Fa-f]{1,8})(?:;${TOKEN}(?:=(?:${TOKEN}|${QUOTED}))?)*$`);
const TRAILER = new RegExp(`^${TOKEN}:[\\t\\x20-\\x7e]*$`);
/** Fields that say how messages are delimited or where they go: too late here, but some readers obey them. */
const HEAD_ONLY = /^(?:connection|content-length|host|transfer-encoding|upgrade):/i;

function chunkSize(line: string): number {
  const match = CHUNK_LINE.exec(line);
  if (match === null) {
    throw new Malformed("a chunk does not begin with its size and well-formed extensions");
  }
  return parseInt(match[1]!, 16);
}

/** @returns -1 for anything else */
function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** Bytes whose number is not known, or not to be relied upon. */
class Arriving {
  length = 0;
  #bytes: Bytes;

  constructor(bytesAtFirst: number) {
    this.#bytes = new Uint8Array(bytesAtFirst);
  }

  /** What has come so far. */
  get bytes(): Bytes {
    return this.#bytes.subarray(0, this.length);
  }

  /** Adds the bytes from `start` to `end`. */
  add(bytes: Bytes, start: number, end: number): void {
    for (let at = start; at < end;) {
      const room = this.room(end - at);
      // For a few bytes a view costs more than a loop.
      if (room.length < 16) { for (let i = 0; i < room.length; i++) room[i] = bytes[at + i]!; }
      else room.set(bytes.subarray(at, at + room.length));
      this.length += room.length;
      at += room.length;
    }
  }

  /** Memory for the next bytes, at most `wanted`. It grows twofold, so that many small chunks do not cost a copy each. */
  room(wanted: number): Bytes {
    if (this.length === this.#bytes.length) {
      const larger = new Uint8Array(2 * this.#bytes.length);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    return this.#bytes.subarray(this.length, this.length + wanted);
  }
}
