import type { Tags } from "./events.ts";
import type { Answer, Call } from "./exchange.ts";
import type {
  OpenTelemetry,
  SpanAttributes,
  TraceContext,
  TraceParent,
  TraceSpan,
} from "./open_telemetry.ts";

/* Spans by the conventions of OpenTelemetry for messaging. */

/** `SpanKind` of the API. */
const KIND = { client: 2, producer: 3, consumer: 4 };
/** `SpanStatusCode.ERROR` of the API. */
const ERROR = 2;

/** The metadata entry, and the header, that names the span in which an event was written (W3C Trace Context). */
const TRACEPARENT = "traceparent";

/**
 * Sends a request in a span. Events in it carry the span as the metadata entry `traceparent`, unless they have one.
 *
 * A read that waits has no span: most of its time is the time until something happens.
 * @param send sends the request, up to the head of its answer
 */
export async function traced(
  api: OpenTelemetry,
  address: string | undefined,
  call: Call,
  send: (call: Call) => Promise<Answer>,
): Promise<Answer> {
  if (call.waitSeconds) return await send(call);
  const events = eventsOf(call);
  const span = begun(api, api.context.active(), ...described(call, events), serverOf(address));
  const context = api.trace.setSpan(api.context.active(), span);
  const end = ending(span);
  try {
    const headers = { ...call.headers };
    api.propagation.inject(context, headers);
    const body = events
      ? { ...call.body as object, events: withTrace(events, traceparentOf(span)) }
      : call.body;
    const answer = await api.context.with(context, () => send({ ...call, headers, body }));
    return endedWith(answer, end);
  } catch (error) {
    end(error);
    throw error;
  }
}

/**
 * Processes an event in a span, which continues the trace in which the event was written.
 * @param work gets the `traceparent` for the events that it writes, if the application records traces
 */
export async function processed<T>(
  api: OpenTelemetry,
  consumer: string,
  event: { readonly sequence: number; readonly type: string; readonly metadata: Tags },
  work: (traceparent: string | undefined) => Promise<T>,
): Promise<T> {
  const origin = parsed(event.metadata[TRACEPARENT]);
  const active = api.context.active();
  const parent = origin ? api.trace.setSpanContext(active, { ...origin, isRemote: true }) : active;
  const attributes = {
    ...operation("process", "process"),
    "messaging.consumer.group.name": consumer,
    "messaging.message.id": String(event.sequence),
    "eventstore.event.type": event.type,
  };
  const span = begun(api, parent, `process ${consumer}`, KIND.consumer, attributes);
  const end = ending(span);
  try {
    const result = await api.context.with(
      api.trace.setSpan(parent, span),
      () => work(traceparentOf(span)),
    );
    end();
    return result;
  } catch (error) {
    end(error);
    throw error;
  }
}

/** Returns the events with a `traceparent`. Those that have one keep it. */
export function withTrace<Event extends { readonly metadata?: Tags | undefined }>(
  events: readonly Event[],
  traceparent: string | undefined,
): readonly Event[] {
  if (!traceparent) return events;
  return events.map((event) => ({ ...event, metadata: { [TRACEPARENT]: traceparent, ...event.metadata } }));
}

function begun(
  api: OpenTelemetry,
  parent: TraceContext,
  name: string,
  kind: number,
  ...attributes: SpanAttributes[]
): TraceSpan {
  const options = { kind, attributes: Object.assign({}, ...attributes) as SpanAttributes };
  return api.trace.getTracer("eventstore-client").startSpan(name, options, parent);
}

/** Events of a request that writes them; undefined for any other. */
function eventsOf({ body }: Call): readonly { readonly metadata?: Tags | undefined }[] | undefined {
  const { events } = Object(body);
  return Array.isArray(events) && events.length > 0 ? events : undefined;
}

/** The name of a request's span, its kind and its attributes. */
function described(
  { method, path }: Call,
  events: readonly unknown[] | undefined,
): [name: string, kind: number, attributes: SpanAttributes] {
  if (events) {
    const count = events.length > 1 ? { "messaging.batch.message_count": events.length } : {};
    return ["append events", KIND.producer, { ...operation("append", "send"), ...count }];
  }
  if (method === "QUERY") return ["read events", KIND.client, operation("read", "receive")];
  // The rest of a path may be an ID: the name of a span must have few values.
  const route = `/${path.split(/[/?]/)[1]}`;
  return [`${method} ${route}`, KIND.client, { "http.request.method": method, "url.template": route }];
}

function operation(name: string, type: string): SpanAttributes {
  return {
    "messaging.system": "eventstore",
    "messaging.operation.name": name,
    "messaging.operation.type": type,
    "messaging.destination.name": "events",
  };
}

function serverOf(address = ""): SpanAttributes {
  if (!/^https?:/.test(address)) return address ? { "server.address": address } : {};
  const { hostname, port, protocol } = new URL(address);
  return { "server.address": hostname, "server.port": Number(port) || (protocol === "https:" ? 443 : 80) };
}

/** Returns a function that ends the span, once, with an error if there was one. */
function ending(span: TraceSpan): (error?: unknown) => void {
  let isEnded = false;
  return (error) => {
    if (isEnded) return;
    isEnded = true;
    if (error) {
      const { code, name, message } = Object(error);
      span.setAttribute("error.type", String(code ?? name ?? "_OTHER"));
      span.setStatus({ code: ERROR, message: String(message ?? error) });
    }
    span.end();
  };
}

/** An answer that ends the span with its own end. */
function endedWith(answer: Answer, end: (error?: unknown) => void): Answer {
  return {
    ...answer,
    header(name) {
      try {
        return answer.header(name);
      } catch (error) {
        end(error);
        throw error;
      }
    },
    async text() {
      try {
        return await answer.text();
      } catch (error) {
        end(error);
        throw error;
      } finally {
        end();
      }
    },
    async *lines() {
      try {
        yield* answer.lines();
      } catch (error) {
        end(error);
        throw error;
      } finally {
        end();
      }
    },
    leave() {
      answer.leave();
      end();
    },
  };
}

/** Undefined while the application has not set up the SDK: its spans have no identity then. */
function traceparentOf(span: TraceSpan): string | undefined {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return Number(`0x${traceId}`) === 0
    ? undefined
    : `00-${traceId}-${spanId}-${(traceFlags & 255).toString(16).padStart(2, "0")}`;
}

function parsed(value: Tags[string] | undefined): TraceParent | undefined {
  const parts = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})/.exec(String(value));
  return parts ? { traceId: parts[1]!, spanId: parts[2]!, traceFlags: parseInt(parts[3]!, 16) } : undefined;
}
