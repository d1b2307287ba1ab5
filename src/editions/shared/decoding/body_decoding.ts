import { Semaphore } from "../../../async/semaphore.ts";
import type { ServerSettings } from "../../../config/load.ts";
import { tickEnd, tickIsLong } from "../../../http/tick.ts";
import { ApiError, ClientDisconnected, LimitReached } from "../../../model/errors.ts";
import type { Client } from "../../../store/api/store.ts";
import { type JsonScan, scanJson } from "../../../wire/json_scan.ts";
import { parseJson } from "../../../wire/json.ts";
import { RemoteWorker } from "../../../workers/remote_worker.ts";
import type { Decoded, DecodeRequest, Decoders, HostedDecodersClass } from "./hosted_decoders.ts";

/** A worker decodes larger bodies, and bodies with more values: each would take over a millisecond. */
const DECODED_HERE_BYTES_MAX = 64 * 1024;
const DECODED_HERE_VALUES_MAX = 2048;

/** A smaller body cannot have enough values to matter. */
const COUNTED_BYTES_MIN = 8 * 1024;

/** A worker without work is closed after this time, which frees its memory. */
const IDLE_MILLISECONDS = 10_000;

/** Small bodies go first, but every so many bodies the one that has waited longest does. */
const OLDEST_FIRST_EVERY = 4;

export interface BodyDecodingOptions<D extends Decoders> {
  readonly decoders: D;
  /** The module of a worker that hosts the same decoders. */
  readonly worker: URL;
  readonly limits: ServerSettings;
}

interface Waiting extends DecodeRequest, PromiseWithResolvers<Decoded> {
  readonly disconnected: AbortSignal;
}

/**
 * Decodes request bodies: small ones at once, large ones in a worker, one after the other. So a large body does not
 * delay other requests.
 */
export class BodyDecoding<D extends Decoders> {
  readonly #options: BodyDecodingOptions<D>;
  #worker: RemoteWorker<HostedDecodersClass> | undefined;
  #waiting: Waiting[] = [];
  #taken = 0;
  readonly #semaphore = new Semaphore(1);
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #closing = false;

  constructor(options: BodyDecodingOptions<D>) {
    this.#options = options;
  }

  /**
   * Decodes a body, whose bytes are gone afterwards.
   * @throws ApiError InvalidRequest or PayloadTooLarge, ClientDisconnected when the client disconnected while it
   * waited
   */
  async decode<Name extends keyof D & string>(
    name: Name,
    body: Uint8Array<ArrayBuffer>,
    client: Client,
  ): Promise<ReturnType<D[Name]>> {
    const { decoders, limits } = this.#options;
    const counted = isMedium(body) ? scanJson(body) : undefined;
    const isSmall = isQuicklyDecoded(body, counted);
    // Many small bodies at once must not block the thread for as long as a large one would.
    while (isSmall && tickIsLong()) await tickEnd();
    const value = isSmall
      ? decoders[name]!(parseJson(body, counted), limits)
      : valueOf(await this.#decodeInWorker(name, body, client.disconnected));
    return value as ReturnType<D[Name]>;
  }

  /** Lets the current body finish, and ends the worker. */
  close(): void {
    this.#closing = true;
    if (!this.#semaphore.isFull) this.#endWorker();
  }

  #decodeInWorker(name: string, body: Uint8Array<ArrayBuffer>, disconnected: AbortSignal): Promise<Decoded> {
    const waiting = { name, body, disconnected, ...Promise.withResolvers<Decoded>() };
    this.#waiting.push(waiting);
    this.#semaphore.pass(() => this.#decodeNext());
    return waiting.promise;
  }

  async #decodeNext(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const next = this.#take();
    if (next !== undefined) {
      const { name, body, resolve, reject } = next;
      try {
        const worker = this.#worker ??= await this.#startWorker();
        resolve(await worker.object.decode({ name, body }));
      } catch (error) {
        // The worker may have died: the next body gets a new one.
        this.#endWorker();
        reject(error);
      }
    }
    if (this.#waiting.length === 0) this.#rest();
  }

  /** Takes the next body to decode. Bodies of clients that have disconnected are dropped. */
  #take(): Waiting | undefined {
    for (const { disconnected, reject } of this.#waiting) {
      if (disconnected.aborted) reject(new ClientDisconnected());
    }
    this.#waiting = this.#waiting.filter(({ disconnected }) => !disconnected.aborted);
    let next = this.#waiting[0];
    if (next === undefined) return undefined;
    if (++this.#taken % OLDEST_FIRST_EVERY !== 0) {
      for (const other of this.#waiting) if (other.body.length < next.body.length) next = other;
    }
    this.#waiting = this.#waiting.filter((other) => other !== next);
    return next;
  }

  async #startWorker(): Promise<RemoteWorker<HostedDecodersClass>> {
    const worker = new RemoteWorker<HostedDecodersClass>(this.#options.worker, "decoding");
    try {
      await worker.open(this.#options.limits);
      return worker;
    } catch (error) {
      worker.terminate();
      throw error;
    }
  }

  #rest(): void {
    if (this.#closing) return this.#endWorker();
    this.#idleTimer = setTimeout(() => this.#endWorker(), IDLE_MILLISECONDS);
    Deno.unrefTimer(this.#idleTimer);
  }

  #endWorker(): void {
    clearTimeout(this.#idleTimer);
    this.#worker?.terminate();
    this.#worker = undefined;
  }
}

/** True if the decoding time of the body depends on the number of its values. */
function isMedium({ length }: Uint8Array): boolean {
  return length >= COUNTED_BYTES_MIN && length <= DECODED_HERE_BYTES_MAX;
}

function isQuicklyDecoded({ length }: Uint8Array, counted: JsonScan | undefined): boolean {
  return counted === undefined ? length < COUNTED_BYTES_MIN : counted.valueCount <= DECODED_HERE_VALUES_MAX;
}

/** @throws ApiError that the decoder threw */
function valueOf(decoded: Decoded): unknown {
  if ("value" in decoded) return decoded.value;
  const { rejected, detail, isLimit } = decoded;
  throw isLimit ? new LimitReached(detail ?? "") : new ApiError(rejected, detail);
}
