import type { HttpRequest } from "../exchange.ts";
import type { Presence } from "./presence.ts";
import type { RequestBody } from "./request_body.ts";
import type { RequestHead } from "./request_head.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** A request as its handler sees it. Once the body has been read, the client is watched: it may leave. */
export class ReceivedRequest implements HttpRequest {
  readonly method: string;
  readonly target: string;
  readonly #fields: RequestHead["fields"];
  readonly #body: RequestBody;
  readonly #presence: Presence;

  constructor({ method, target, fields }: RequestHead, body: RequestBody, presence: Presence) {
    this.method = method;
    this.target = target;
    this.#fields = fields;
    this.#body = body;
    this.#presence = presence;
  }

  header(name: string): string | undefined {
    return this.#fields.get(name);
  }

  body(bytesMax: number): Promise<Bytes> {
    const here = this.#body.complete ? undefined : this.#body.takeIfHere(bytesMax);
    if (here === undefined) return this.#receive(bytesMax);
    this.#presence.watch();
    return Promise.resolve(here);
  }

  async #receive(bytesMax: number): Promise<Bytes> {
    if (this.#body.complete) return new Uint8Array();
    const bytes = await this.#body.read(bytesMax);
    this.#presence.watch();
    return bytes;
  }

  async discardBody(bytesMax: number): Promise<void> {
    if (this.#body.complete) return;
    await this.#body.discard(bytesMax);
    this.#presence.watch();
  }

  releaseBody(): void {
    this.#body.settle();
  }

  get left(): AbortSignal {
    return this.#presence.left;
  }
}
