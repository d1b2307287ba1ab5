import { Refused } from "./errors.ts";
import type { PayloadFormat } from "./events.ts";
import { type Answer, type Call, type Contact, exchange } from "./exchange.ts";
import type { OpenTelemetry } from "./open_telemetry.ts";
import type { EventStoreOptions, NotJson } from "./options.ts";
import { isPassing, repeated, retriesFor } from "./retries.ts";
import type { Options } from "./schemas/codec.ts";
import type { SchemaOptions } from "./schemas/standard_schema.ts";
import { fetchTransport } from "./transport/fetch_transport.ts";
import type { Transport } from "./transport/transport.ts";

/** A server, with all that the operations need to know about it. */
export interface Server {
  readonly edition: "A" | "B" | "C";
  readonly payload: PayloadFormat;
  readonly notJson: NotJson;
  /** Checks payloads of events to write (`written`), or brings those of stored ones (`read`) into the newest version. */
  codec<Event>(to: "written" | "read", events: readonly Event[]): Promise<readonly Event[]>;
  /** Shows if the server has ever answered. */
  readonly contact: Readonly<Contact>;
  /** How long failed requests are repeated, in seconds. */
  readonly retrySeconds: number;
  /** Records traces, if the application wishes it. */
  readonly openTelemetry?: OpenTelemetry | undefined;
  /** Sends one request, once, up to the head of its answer. */
  begin(call: Call): Promise<Answer>;
  /** Sends one request, once, and returns the text of its answer. */
  once(call: Call): Promise<TextAnswer>;
  /** Like `once`, and again while it is certain that nothing was written. */
  repeat(call: Call): Promise<TextAnswer>;
}

/** An answer that has been received completely. */
export interface TextAnswer extends Pick<Answer, "header" | "json" | "lost"> {
  readonly body: string;
}

/** Returns the server that the options describe. */
export function serverOf(options: EventStoreOptions & SchemaOptions<object>): Server {
  const {
    token,
    edition = "A",
    payload = "json",
    notJson = "fail",
    answerSeconds = 30,
    retrySeconds = 10,
    openTelemetry,
    schemas,
  } = options;
  if (schemas && [payload, notJson].includes("text")) {
    throw new TypeError("schemas need JSON");
  }
  const contact: Contact = { transport: transportOf(options) };
  const common = token ? { authorization: `Bearer ${token}` } : {};
  const send = (call: Call): Promise<Answer> => exchange(contact, answerSeconds, common, call);
  const server: Server = {
    edition,
    payload,
    notJson,
    codec: async (to, events) =>
      schemas
        ? (await import("./schemas/codec.ts"))[to](options as Options, events as never) as never
        : events,
    contact,
    retrySeconds,
    openTelemetry,
    begin: async (call) =>
      openTelemetry
        ? (await import("./tracing.ts")).traced(openTelemetry, contact.transport.address, call, send)
        : send(call),
    async once(call) {
      const answer = await server.begin(call);
      return { ...answer, body: await answer.text() };
    },
    repeat: (call) =>
      repeated(
        retriesFor(server, call.signal),
        () => server.once(call),
        (error) => isPassing(error) && !error.outcomeUnknown,
      ),
  };
  return server;
}

/** @throws `Refused` when the server speaks none of these editions */
export function mustSpeak({ edition }: Server, editions: string): void {
  if (editions.includes(edition)) return;
  throw new Refused({ code: "WrongEdition", message: `edition ${edition} cannot do this, ${editions} can` });
}

function transportOf({ url, socketPath, transport, fetchOptions }: EventStoreOptions): Transport {
  if (transport) return transport;
  if (socketPath) {
    return {
      address: socketPath,
      send: async (request) =>
        (await import("./transport/unix_transport.ts")).unixTransport(socketPath).send(request),
    };
  }
  return fetchTransport(url, fetchOptions);
}
