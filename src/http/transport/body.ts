import { ClientLeft } from "../../model/errors.ts";
import { BodyTooLarge, Malformed } from "../exchange.ts";
import type { ByteSource } from "./byte_source.ts";
import { type Framing, TOKEN } from "./request_head.ts";

/** A client must have sent this much of a body before the server trusts its announced length. */
const TRUSTED_BYTES = 64 * 1024;

const CHUNK_LINE_BYTES_MAX = 256;
const EXTENSION_BYTES_MAX = 4096;
const TRAILER_BYTES_MAX = 8192;

type Bytes = Uint8Array<ArrayBuffer>;

/** Reads the body of one request, once. */
export class BodyReader {
  readonly #source: ByteSource;
  readonly #framing: Framing;
  readonly #onProgress: () => void;
  readonly #invite: () => Promise<void>;
  #state: "unread" | "reading" | "complete" = "unread";

  /**
   * @param invite called when the body is wanted, before it is read
   * @param onProgress called after each read
   */
  constructor(source: ByteSource, framing: Framing, invite: () => Promise<void>, onProgress: () => void) {
    this.#source = source;
    this.#framing = framing;
    this.#invite = invite;
    this.#onProgress = onProgress;
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

  /**
   * Reads the whole body.
   * @throws BodyTooLarge beyond `bytesMax`, Malformed for broken chunks, ClientLeft when the rest never came
   */
  async read(bytesMax: number): Promise<Bytes> {
    const framing = this.#framing;
    if (framing.kind === "none") return new Uint8Array();
    if (this.#state !== "unread") throw new Error("a body can be read only once");
    if (framing.kind === "length" && framing.bytes > bytesMax) throw new BodyTooLarge();
    this.#state = "reading";
    await this.#invite();
    const body = framing.kind === "length"
      ? await this.#readLength(framing.bytes)
      : await this.#readChunks(bytesMax);
    this.#state = "complete";
    return body;
  }

  async #readLength(bytes: number): Promise<Bytes> {
    const start = new Uint8Array(Math.min(bytes, TRUSTED_BYTES));
    await this.#fill(start);
    if (bytes <= TRUSTED_BYTES) return start;
    const whole = new Uint8Array(bytes);
    whole.set(start);
    await this.#fill(whole.subarray(TRUSTED_BYTES));
    return whole;
  }

  async #readChunks(bytesMax: number): Promise<Bytes> {
    let body: Bytes = new Uint8Array(4096);
    let length = 0;
    let extensionBytes = 0;
    while (true) {
      const line = await this.#line(CHUNK_LINE_BYTES_MAX);
      const size = chunkSize(line);
      extensionBytes += line.includes(";") ? line.length : 0;
      if (extensionBytes > EXTENSION_BYTES_MAX) throw new Malformed("too many chunk extensions");
      if (size === 0) break;
      if (length + size > bytesMax) throw new BodyTooLarge();
      // Memory grows with what has arrived, not with what is announced.
      for (const end = length + size; length < end;) {
        const next = Math.min(end, length + Math.max(length, TRUSTED_BYTES));
        if (next > body.length) body = grown(body.subarray(0, length), next);
        await this.#fill(body.subarray(length, next));
        length = next;
      }
      // The chunk is over: only the end of its line may follow.
      await this.#line(0);
    }
    await this.#skipTrailers();
    return body.subarray(0, length);
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
    if (!await this.#source.fill(into, this.#onProgress)) throw new ClientLeft();
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
      this.#onProgress();
    }
  }
}

const LF = 0x0a;
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

/** At least twice as long, so that many small chunks do not cost a copy each. */
function grown(bytes: Bytes, lengthMin: number): Bytes {
  const larger = new Uint8Array(Math.max(lengthMin, 2 * bytes.length));
  larger.set(bytes);
  return larger;
}
