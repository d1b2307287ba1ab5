import { Refused, Unavailable } from "./errors.ts";
import type { PayloadFormat } from "./events.ts";
import { type Call, Exchange, type ExchangeSettings } from "./exchange.ts";
import type { EventStoreOptions } from "./options.ts";
import { Retries } from "./retries.ts";
import { fetchTransport } from "./transport/fetch_transport.ts";
import type { Transport } from "./transport/transport.ts";
import { unixTransport } from "./transport/unix_transport.ts";

/** A server, and everything about it that the operations need. */
export class Server {
  readonly edition: "A" | "B" | "C";
  readonly payload: PayloadFormat;
  /** How long what failed is repeated. */
  readonly retrySeconds: number;
  readonly #settings: ExchangeSettings;

  constructor(options: EventStoreOptions) {
    const { token, edition = "A", payload = "json", answerSeconds = 30, retrySeconds = 10 } = options;
    this.edition = edition;
    this.payload = payload;
    this.retrySeconds = retrySeconds;
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    this.#settings = { transport: transportOf(options), headers, answerSeconds };
  }

  /** One request, once. */
  begin(call: Call): Promise<Exchange> {
    return Exchange.begin(this.#settings, call);
  }

  /** One request and the text of its answer, once. */
  async call(call: Call): Promise<{ readonly exchange: Exchange; readonly text: string }> {
    const exchange = await this.begin(call);
    return { exchange, text: await exchange.text() };
  }

  /** Like `call`, and again while nothing can have been written. */
  async repeat(call: Call): Promise<{ readonly exchange: Exchange; readonly text: string }> {
    const retries = new Retries(this.retrySeconds, call.signal);
    for (;;) {
      try {
        return await this.call(call);
      } catch (error) {
        await retries.after(error, call.changes ? error instanceof Unavailable : undefined);
      }
    }
  }

  /** For what only `POST /write` of edition A can do. */
  mustBeA(): void {
    if (this.edition === "A") return;
    const message = `only edition A can do this; edition ${this.edition} has transactions`;
    throw new Refused({ code: "WrongEdition", status: 0, message });
  }
}

function transportOf({ url, socketPath, transport }: EventStoreOptions): Transport {
  if (transport !== undefined) return transport;
  if (socketPath !== undefined) return unixTransport(socketPath);
  if (url === undefined) throw new TypeError("an EventStore needs url or socketPath");
  return fetchTransport(url);
}
