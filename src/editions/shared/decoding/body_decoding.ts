import type { ServerSettings } from "../../../config/load.ts";
import { tickEnd, tickIsLong } from "../../../http/tick.ts";
import { LimitReached, Refusal } from "../../../model/errors.ts";
import { parseJson } from "../../../wire/json.ts";
import { RemoteWorker } from "../../../workers/remote_worker.ts";
import type { Decoders } from "./decoders.ts";
import type { Decoded, HostedDecodersClass } from "./hosted_decoders.ts";

/** Larger bodies are decoded in a worker: even the worst of this size takes a few milliseconds. */
const DECODED_HERE_BYTES_MAX = 64 * 1024;

/** A worker without work is given up after this time, and its memory with it. */
const IDLE_MILLISECONDS = 10_000;

export interface BodyDecodingOptions<D extends Decoders> {
  readonly decoders: D;
  /** The module of a worker that hosts the same decoders. */
  readonly worker: URL;
  readonly limits: ServerSettings;
}

/**
 * Decodes request bodies: small ones at once, large ones in a worker, one after the other, so that none of them
 * keeps everyone else waiting.
 */
export class BodyDecoding<D extends Decoders> {
  readonly #options: BodyDecodingOptions<D>;
  #worker: RemoteWorker<HostedDecodersClass> | undefined;
  /** Ends when the worker is free. */
  #last: Promise<unknown> = Promise.resolve();
  #inWorker = 0;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #closing = false;

  constructor(options: BodyDecodingOptions<D>) {
    this.#options = options;
  }

  /**
   * Decodes a body, whose bytes are gone afterwards.
   * @throws Refusal InvalidRequest or PayloadTooLarge
   */
  async decode<Name extends keyof D & string>(
    name: Name,
    body: Uint8Array<ArrayBuffer>,
  ): Promise<ReturnType<D[Name]>> {
    const { decoders, limits } = this.#options;
    const isSmall = body.length <= DECODED_HERE_BYTES_MAX;
    // Many that arrive together must not add up to what a large one would take.
    while (isSmall && tickIsLong()) await tickEnd();
    const value = isSmall
      ? decoders[name]!(parseJson(body), limits)
      : valueOf(await this.#decodeInWorker(name, body));
    return value as ReturnType<D[Name]>;
  }

  /** Lets what is being decoded finish, and ends the worker. */
  close(): void {
    this.#closing = true;
    if (this.#inWorker === 0) this.#endWorker();
  }

  async #decodeInWorker(name: string, body: Uint8Array<ArrayBuffer>): Promise<Decoded> {
    clearTimeout(this.#idleTimer);
    this.#inWorker++;
    const decoded = this.#last.then(async () => {
      const worker = this.#worker ??= await this.#startWorker();
      return await worker.object.decode({ name, body });
    });
    this.#last = decoded.catch(() => {});
    try {
      return await decoded;
    } catch (error) {
      // The worker has died: the next body gets a new one.
      this.#endWorker();
      throw error;
    } finally {
      this.#inWorker--;
      if (this.#inWorker === 0) this.#rest();
    }
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

/** @throws Refusal that the decoder threw */
function valueOf(decoded: Decoded): unknown {
  if ("value" in decoded) return decoded.value;
  const { refused, detail, isLimit } = decoded;
  throw isLimit ? new LimitReached(detail ?? "") : new Refusal(refused, detail);
}
