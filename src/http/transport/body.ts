import { ClientDisconnected } from "../../model/errors.ts";
import { BodyTooLarge, Malformed } from "../exchange.ts";
import { FREE_BYTES, MEDIUM_BYTES_MAX } from "./body_budget.ts";
import { type BodyBytes, BufferedBytes, DroppedBytes } from "./body_bytes.ts";
import type { ByteSource } from "./byte_source.ts";
import { checkTrailer, chunkSize, hexDigit } from "./chunked_coding.ts";
import type { Framing } from "./request_head.ts";

/** Memory for the start of a body. It grows as bytes are received; the announced length is not relied on. */
const FIRST_BYTES = 4 * 1024;

const CHUNK_LINE_BYTES_MAX = 256;
const EXTENSION_BYTES_MAX = 4096;
const TRAILER_BYTES_MAX = 8192;
const SIZE_DIGITS_MAX = 8;

const CR = 0x0d;
const LF = 0x0a;

type Bytes = Uint8Array<ArrayBuffer>;

export interface BodyHooks {
  /**
   * Called before more than `FREE_BYTES` are stored, with the maximum size of the body. For a body of unknown length
   * the size is a guess at first, so it is called again when that was not enough.
   */
  reserve(bytes: number): Promise<void>;
  /** Called after each read. If it throws, the read ends with that error. */
  onProgress(): void;
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

  /** True when the next byte of the client belongs to its next request. */
  get complete(): boolean {
    return this.#state === "complete";
  }

  /** The length of an unread body, 0 once it is complete; Infinity when unknown, or when only a part is unread. */
  get unreadBytes(): number {
    if (this.#state === "complete") return 0;
    return this.#state === "unread" && this.#framing.kind === "length" ? this.#framing.bytes : Infinity;
  }

  /** Returns a short body that was received together with its head, as most are; undefined for any other. */
  takeIfHere(bytesMax: number): Bytes | undefined {
    const framing = this.#framing;
    if (this.#state !== "unread" || framing.kind !== "length") return undefined;
    if (framing.bytes > Math.min(bytesMax, FREE_BYTES, this.#source.length)) return undefined;
    this.#state = "complete";
    return this.#source.take(framing.bytes);
  }

  /** Checks that the body may be read. @throws BodyTooLarge when more than `bytesMax` is announced */
  begin(bytesMax: number): void {
    if (this.#state !== "unread") throw new Error("a body can be read only once");
    if (this.#framing.kind === "length" && this.#framing.bytes > bytesMax) throw new BodyTooLarge();
    this.#state = "reading";
  }

  /**
   * Reads the whole body, after `begin` has allowed it.
   * @throws BodyTooLarge beyond `bytesMax`, Malformed for broken chunks, ClientDisconnected when the client did not
   *   send all of it
   */
  async read(bytesMax: number): Promise<Bytes> {
    const framing = this.#framing;
    if (framing.kind === "none") return new Uint8Array();
    const body = framing.kind === "length"
      ? await this.#readLength(framing.bytes)
      : await this.#keepChunks(bytesMax);
    this.#state = "complete";
    return body;
  }

  /** Reads the whole body and stores none of it, so it needs no memory quota. @throws as `read` */
  async discard(bytesMax: number): Promise<void> {
    const framing = this.#framing;
    const dropped = new DroppedBytes();
    if (framing.kind === "length") await this.#append(dropped, framing.bytes);
    if (framing.kind === "chunked") await this.#readChunks(dropped, bytesMax);
    this.#state = "complete";
  }

  async #readLength(bytes: number): Promise<Bytes> {
    const freeBytes = Math.min(bytes, FREE_BYTES);
    const first = new BufferedBytes(
      Math.min(freeBytes, Math.max(FIRST_BYTES, this.#source.bytes.length)),
      freeBytes,
    );
    await this.#append(first, freeBytes);
    if (bytes <= FREE_BYTES) return first.bytes;
    await this.#hooks.reserve(bytes);
    const whole = new Uint8Array(bytes);
    whole.set(first.bytes);
    await this.#fill(whole.subarray(FREE_BYTES));
    return whole;
  }

  async #keepChunks(bytesMax: number): Promise<Bytes> {
    const kept = new BufferedBytes(FIRST_BYTES, FREE_BYTES);
    await this.#readChunks(kept, bytesMax);
    return kept.bytes;
  }

  async #readChunks(into: BodyBytes, bytesMax: number): Promise<void> {
    let extensionBytes = 0;
    while (true) {
      this.#takeWholeChunks(into, Math.min(bytesMax, into.capacityBytes));
      const line = await this.#line(CHUNK_LINE_BYTES_MAX);
      const size = chunkSize(line);
      extensionBytes += line.includes(";") ? line.length : 0;
      if (extensionBytes > EXTENSION_BYTES_MAX) throw new Malformed("too many chunk extensions");
      if (size === 0) break;
      const end = into.length + size;
      if (end > bytesMax) throw new BodyTooLarge();
      await this.#append(into, Math.min(end, into.capacityBytes) - into.length);
      while (into.length < end) {
        await this.#reserveMore(into, bytesMax);
        await this.#append(into, Math.min(end, into.capacityBytes) - into.length);
      }
      // The chunk is complete: only the end of its line may follow.
      await this.#line(0);
    }
    await this.#skipTrailers();
  }

  /** Most bodies are short, so none asks for the maximum size at once. */
  async #reserveMore(into: BodyBytes, bytesMax: number): Promise<void> {
    const bytes = into.capacityBytes < MEDIUM_BYTES_MAX ? Math.min(MEDIUM_BYTES_MAX, bytesMax) : bytesMax;
    await this.#hooks.reserve(bytes);
    into.capacityBytes = bytes;
  }

  /**
   * Takes the plain chunks that have been received, up to `lengthMax` bytes of the body. It must be fast, since a body
   * may consist of chunks of one byte only. It stops at a chunk that is not plain, for the caller to parse.
   */
  #takeWholeChunks(into: BodyBytes, lengthMax: number): void {
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
      if (!isWhole || size === 0 || into.length + size > lengthMax) break;
      into.add(bytes, at + 2, end);
      taken = end + 2;
    }
    this.#source.skip(taken);
  }

  async #append(into: BodyBytes, count: number): Promise<void> {
    for (let left = count; left > 0;) {
      const memory = into.memory(left);
      await this.#fill(memory);
      into.length += memory.length;
      left -= memory.length;
    }
  }

  async #skipTrailers(): Promise<void> {
    for (let left = TRAILER_BYTES_MAX; left > 0;) {
      const line = await this.#line(left);
      if (line === "") return;
      checkTrailer(line);
      left -= line.length + 2;
    }
    throw new Malformed("the trailers are too long");
  }

  async #fill(into: Bytes): Promise<void> {
    if (!await this.#source.fill(into, () => this.#hooks.onProgress())) throw new ClientDisconnected();
  }

  /** Returns a line without its CRLF. The caller checks its content. */
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
      if (!await this.#source.more()) throw new ClientDisconnected();
      this.#hooks.onProgress();
    }
  }
}
