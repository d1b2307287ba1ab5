import type { HttpRequest } from "../exchange.ts";
import type { DisconnectWatcher } from "./disconnect_watcher.ts";
import type { RequestBody } from "./request_body.ts";
import type { RequestHead } from "./request_head.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** A request as its handler sees it. Once the body has been read, it watches whether the client disconnects. */
export class ReceivedRequest implements HttpRequest {
  readonly method: string;
  readonly target: string;
  readonly #fields: RequestHead["fields"];
  readonly #body: RequestBody;
  readonly #watcher: DisconnectWatcher;

  constructor({ method, target, fields }: RequestHead, body: RequestBody, watcher: DisconnectWatcher) {
    this.method = method;
    this.target = target;
    this.#fields = fields;
    this.#body = body;
    this.#watcher = watcher;
  }

  header(name: string): string | undefined {
    return this.#fields.get(name);
  }

  body(bytesMax: number): Promise<Bytes> {
    const here = this.#body.complete ? undefined : this.#body.takeIfHere(bytesMax);
    if (here === undefined) return this.#receive(bytesMax);
    this.#watcher.watch();
    return Promise.resolve(here);
  }

  async #receive(bytesMax: number): Promise<Bytes> {
    if (this.#body.complete) return new Uint8Array();
    const bytes = await this.#body.read(bytesMax);
    this.#watcher.watch();
    return bytes;
  }

  async discardBody(bytesMax: number): Promise<void> {
    if (this.#body.complete) return;
    await this.#body.discard(bytesMax);
    this.#watcher.watch();
  }

  releaseBody(): void {
    this.#body.settle();
  }

  get disconnected(): AbortSignal {
    return this.#watcher.disconnected;
  }
}
