import type { IdentifierName, NewEvent, StoredEvent } from "../events.ts";
import type { OneOrMore } from "../one_or_more.ts";
import type { CallOptions } from "../options.ts";
import type { Condition, Query } from "../queries.ts";
import type { ProjectionChanges } from "../writing.ts";

/** Facts about the call of a handler. */
export interface HandleContext {
  /**
   * Names this event in this consumer, the same on every attempt and in every process. Pass it to another system as
   * its idempotency key: the handler may run more than once.
   */
  readonly key: string;
  /** 1 for the first attempt in this process. A conflict of the result does not count. */
  readonly attempt: number;
  /** Aborted when another process may handle the event. Then the result of the handler is not written. */
  readonly signal: AbortSignal;
}

/** Changes that are written together with the progress of the consumer, all or nothing. */
export interface Effects<Events extends object = Record<string, unknown>> {
  /** Events to write. */
  readonly events?: OneOrMore<NewEvent<Events>>;
  /** Projections to change. */
  readonly projections?: ProjectionChanges;
  /** All of them must hold. After a conflict, the handler runs again, so that it reads again. */
  readonly conditions?: OneOrMore<Condition<Events>>;
}

/** The result of a handler: nothing, events to write, or effects. */
export type Handled<Events extends object = Record<string, unknown>> =
  | void
  | OneOrMore<NewEvent<Events>>
  | Effects<Events>;

/** A consumer: the events that it handles, their order, and the work. */
export interface Consumer<Events extends object = Record<string, unknown>> {
  /** Selects the events that are handled. */
  readonly query: Query<Events>;
  /**
   * The name of an identifier, or a function. Events with the same value are handled in order, one at a time, others
   * in parallel. Events without a value share one order. An event with several values of the identifier ends
   * `consume` with a `TypeError`: then use a function. Default: all events in order.
   */
  readonly by?: IdentifierName<Events> | ((event: StoredEvent<Events>) => string | undefined);
  /** Handles an event. If it throws, it is called again, after a pause. */
  readonly handle: (
    event: StoredEvent<Events>,
    context: HandleContext,
  ) => Handled<Events> | Promise<Handled<Events>>;
}

/** A message about the work of this process, for metrics and logs. */
export type ConsumerNotification =
  /** An event was handled, and its effects are durable. `seconds` is the time in the last call of the handler. */
  | {
    readonly kind: "handled";
    readonly sequence: number;
    readonly attempt: number;
    readonly seconds: number;
  }
  /** The handler failed, or its result was rejected. It will be called again. */
  | { readonly kind: "failed"; readonly sequence: number; readonly attempt: number; readonly error: unknown }
  /**
   * An event was parked. Without `error`: because an earlier one of its key is parked. The record of the event has the
   * error as text.
   */
  | { readonly kind: "parked"; readonly sequence: number; readonly error?: unknown }
  /** This process handles other partitions than before. */
  | { readonly kind: "partitions"; readonly partitions: readonly number[] }
  /** Another process has stopped working without an orderly end. Its partitions are taken over. */
  | { readonly kind: "takeover"; readonly member: string }
  /** About every third of a lease: events that this process has read and not yet completed. */
  | { readonly kind: "progress"; readonly open: number };

/** Options of a consumer. */
export interface ConsumeOptions extends CallOptions {
  /** Handlers that run at the same time in this process. Default 16. */
  readonly concurrency?: number;
  /** Units that the processes share, 1 to 256. The first start fixes it. Default 16. */
  readonly partitions?: number;
  /** Calls of the handler before the event is parked. Default 5. */
  readonly attempts?: number;
  /** `parkKey` also parks the later events of the key, in order. Default `park`. */
  readonly onFailure?: "park" | "parkKey";
  /**
   * Other processes take over after so many seconds without a heartbeat, 0.3 to 3,600. All processes need the same
   * value. Default 5.
   */
  readonly leaseSeconds?: number;
  /** Called with each notification. An error of it ends `consume`. */
  readonly onNotification?: (notification: ConsumerNotification) => void;
}
