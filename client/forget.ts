import type { IdentifierName, NewEvent } from "./events.ts";
import type { OneOrMore } from "./one_or_more.ts";
import type { CallOptions } from "./options.ts";
import type { Server } from "./server.ts";
import { wireEvents } from "./wire.ts";
import type { AppendedEvent } from "./writing.ts";

/** An identifier that stands for a person, by the setting `subjects` of the server. */
export interface Subject<Events extends object = Record<string, unknown>> {
  /** The name of the identifier, such as `student`. */
  readonly name: IdentifierName<Events>;
  /** Its value, such as `s1`. */
  readonly value: string;
}

/** Events to write when a subject is forgotten. */
export interface ForgetOptions<Events extends object = Record<string, unknown>> extends CallOptions {
  /** Events that are written in the same turn, so that readers and projections are notified. */
  readonly events?: OneOrMore<NewEvent<Events>>;
}

/** The result of forgetting a subject. It is durable. */
export interface Forgotten {
  /** `before` if the subject was forgotten before, and nothing was written for it since. */
  readonly forgotten: "now" | "before";
  /** The events that were written, in the order in which they were given. */
  readonly events: readonly AppendedEvent[];
}

/** Sends one `POST /forget`. It is repeated only while the server says that it has changed nothing. */
export async function forget<Events extends object>(
  server: Server,
  identifier: Subject<Events>,
  { events = [], signal }: ForgetOptions<Events>,
): Promise<Forgotten> {
  const { body, json } = await server.repeat({
    method: "POST",
    path: "/forget",
    body: { identifier, events: await wireEvents(server, events) },
    changes: true,
    signal,
  });
  return json(body);
}
