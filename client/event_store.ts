import type { ConsumeOptions, Consumer } from "./consume/consumer.ts";
import type { Consumers } from "./consume/consumers.ts";
import type { Decided, DecideOptions, DecisionSoon, Known } from "./decide.ts";
import type { GivenModel } from "./decision_model.ts";
import { EventReader } from "./event_reader.ts";
import type { NewEvent } from "./events.ts";
import type { ForgetOptions, Forgotten, Subject } from "./forget.ts";
import type { OneOrMore } from "./one_or_more.ts";
import type { EventStoreOptions } from "./options.ts";
import type { GivenRowModel, ProjectedRows } from "./project_rows.ts";
import type { Projected } from "./project_state.ts";
import { Projections } from "./projections.ts";
import type { ProjectOptions } from "./projector.ts";
import type { Query } from "./queries.ts";
import type { SchemaOptions } from "./schemas/standard_schema.ts";
import { mustSpeak, serverOf } from "./server.ts";
import type { Transaction, TransactionOptions } from "./transaction.ts";
import type { WriteOnceOptions, WrittenOnce } from "./write_once.ts";
import { type Appended, type AppendOptions, write } from "./writing.ts";

/* Modules that not every program needs are imported on first use, because browsers load all others at once. */

/**
 * An event store, reached over HTTP. `Events` maps each type of event to its payload. Besides its
 * connections, it only knows if the server has ever answered, so one instance serves a whole program.
 *
 * @example
 * ```ts
 * import { EventStore } from "eventstore-client";
 *
 * interface Events {
 *   CourseDefined: { capacity: number };
 *   StudentEnrolled: { by: string };
 * }
 * const store = new EventStore<Events>({ url: "http://127.0.0.1:8085" });
 * const local = new EventStore<Events>({ socketPath: "/run/service/service.sock" });
 * ```
 */
export class EventStore<Events extends object = Record<string, unknown>> extends EventReader<Events> {
  /** Values with a version, next to the events. */
  declare readonly projections: Projections;

  /** Opens nothing: the client connects on first use. */
  constructor(options: EventStoreOptions & SchemaOptions<Events>) {
    super(serverOf(options));
    this.projections = new Projections(this.server);
  }

  /**
   * Writes events and changes projections, all or nothing, provided that the conditions hold. Edition A.
   *
   * It does not repeat the write when the answer is lost, since the write may have happened: `ConnectionLost` then
   * has `outcomeUnknown`. To write safely in that case, use `writeOnce` or `decide`.
   * @throws {Conflict} when a condition or a version does not hold
   * @example
   * ```ts
   * import { EventStore } from "eventstore-client";
   *
   * const store = new EventStore({ url: "http://127.0.0.1:8085" });
   * const { events } = await store.append(
   *   { type: "CourseDefined", identifiers: { course: "c1" }, payload: { capacity: 30 } },
   *   { conditions: { query: { types: ["CourseDefined"], identifiers: { course: "c1" } } } },
   * );
   * console.log(events[0]?.sequence);
   * ```
   */
  async append(
    events: OneOrMore<NewEvent<Events>>,
    options: AppendOptions<Events> = {},
  ): Promise<Appended> {
    mustSpeak(this.server, "A");
    return await write(this.server, events, options);
  }

  /**
   * Reads the events that a decision depends on, decides, and writes the events that the handler returns, provided
   * that no relevant event was committed in between. Otherwise it reads the new events and decides again, up to
   * `attempts` times. An error of the handler ends it and passes through unchanged. Edition A.
   *
   * Several models are read together and form one condition: give them by name, and the handler gets their states by
   * these names. A lost answer does no harm: the events carry the metadata entry `decisionId`, by which the decision
   * sees if it has written them.
   *
   * @param model a decision model, or several by name
   * @param handler returns the events to write, if any, or `{ events, result }`; it may be called several times
   * @param options the most attempts, and a signal
   * @returns the events and their position, which are durable, and the `result` of the handler
   * @throws {Conflict} when other writes were faster each time
   * @example
   * ```ts
   * import { EventStore } from "eventstore-client";
   *
   * const store = new EventStore<{ SeatTaken: { by: string } }>({ url: "http://127.0.0.1:8085" });
   * const seats = { query: { identifiers: { show: "s1" } }, initial: 0, on: { SeatTaken: (taken: number) => taken + 1 } };
   * const { result } = await store.decide(seats, (taken) => {
   *   if (taken === 100) throw new Error("sold out");
   *   return {
   *     events: { type: "SeatTaken", identifiers: { show: "s1" }, payload: { by: "Ada" } },
   *     result: 99 - taken,
   *   };
   * });
   * console.log(result, "seats are free");
   * ```
   * @example
   * ```ts
   * import { type DecisionModel, type DecisionModelByType, EventStore } from "eventstore-client";
   *
   * type Events = { CourseDefined: { seats: number }; Enrolled: null };
   * const store = new EventStore<Events>({ url: "http://127.0.0.1:8085" });
   *
   * const [course, student] = ["c1", "s1"];
   * const count = (tags: { course: string } | { student: string }): DecisionModel<Events, number> => ({
   *   query: { types: ["Enrolled"], identifiers: tags },
   *   initial: 0,
   *   apply: (count) => count + 1,
   * });
   * const seats: DecisionModelByType<Events, number> = {
   *   query: { identifiers: { course } },
   *   initial: 0,
   *   on: { CourseDefined: (_, event) => event.payload.seats },
   * };
   * const models = { seats, taken: count({ course }), courses: count({ student }) };
   * await store.decide(models, ({ seats, taken, courses }) => {
   *   if (taken >= seats || courses >= 5) return; // writes nothing
   *   return { type: "Enrolled", identifiers: { course, student }, payload: null };
   * });
   * ```
   */
  async decide<
    State,
    const Q extends Query<Events> = Query<Events>,
    States extends object = Record<never, never>,
    Result = undefined,
  >(
    model:
      | GivenModel<Events, State, Q>
      | { readonly [Name in keyof States]: GivenModel<Events, States[Name]> },
    handler: (state: Known<State, States>) => DecisionSoon<Events, Result>,
    options: DecideOptions = {},
  ): Promise<Decided<Result>> {
    return (await import("./decide.ts")).decide(this.server, model, handler, options);
  }

  /**
   * Writes events under a key, only once. A repeated call returns the result of the first. So you can repeat it
   * safely, also from another process after a crash. The events carry the key as the metadata entry `writeKey`.
   * Edition A.
   * @throws `Refused` with the code `DifferentBody` when other events were written under the key
   * @throws {Conflict} when one of the conditions does not hold
   * @example
   * ```ts
   * import { EventStore } from "eventstore-client";
   *
   * const store = new EventStore({ url: "http://127.0.0.1:8085" });
   * const paid = { type: "InvoicePaid", identifiers: { invoice: "i1" }, payload: { cents: 1900 } };
   * const first = await store.writeOnce("payment-4711", paid);
   * const second = await store.writeOnce("payment-4711", paid);
   * console.log(first.events[0]?.sequence === second.events[0]?.sequence, second.repeated); // true true
   * ```
   */
  async writeOnce(
    key: string,
    events: OneOrMore<NewEvent<Events>>,
    options: WriteOnceOptions<Events> = {},
  ): Promise<WrittenOnce> {
    return (await import("./write_once.ts")).writeOnce(this.server, key, events, options);
  }

  /**
   * Makes the payloads of a person's events unreadable, for good. The server needs the setting `subjects`, and the
   * token the right `forget`. All editions. Reads then return these events with `forgotten`. To forget again is no
   * error.
   *
   * It does not repeat the request when the answer is lost: `ConnectionLost` then has `outcomeUnknown`. You can repeat
   * it, but then the events may be written twice.
   * @throws `Refused` with the code `SubjectNotFound` when no event was ever written for the person
   * @example
   * ```ts
   * import { EventStore } from "eventstore-client";
   *
   * const store = new EventStore({ url: "http://127.0.0.1:8085" });
   * await store.append({ type: "Registered", identifiers: { student: "s1" }, payload: { name: "Ada" } });
   * const { forgotten } = await store.forget({ name: "student", value: "s1" }, {
   *   events: { type: "StudentForgotten", identifiers: { student: "s1" }, payload: null },
   * });
   * console.log(forgotten); // now
   * for await (const event of store.readAll({ identifiers: { student: "s1" } })) {
   *   console.log(event.type, event.forgotten ?? event.payload);
   * }
   * ```
   */
  async forget(subject: Subject<Events>, options: ForgetOptions<Events> = {}): Promise<Forgotten> {
    return (await import("./forget.ts")).forget(this.server, subject, options);
  }

  /**
   * Keeps a read model of rows in the store, such as one for each show: projections whose type is this name, and
   * whose IDs are the keys of the rows. Rows and checkpoint change in one write. So each event is applied exactly
   * once, whatever happens, even if two copies run.
   *
   * It yields the checkpoint first, if there is one, and again after an error, and then the rows of each write. After
   * a reset it begins again by itself, and so it does when you delete the projections of this type. It ends with the
   * loop or the signal. Edition A.
   *
   * @example
   * ```ts
   * import { EventStore } from "eventstore-client";
   *
   * const store = new EventStore({ url: "http://127.0.0.1:8085" });
   * await store.append({ type: "SeatTaken", identifiers: { show: "s1" }, payload: {} });
   * const rows = store.project("seats", {
   *   query: { types: ["SeatTaken"] },
   *   key: (event) => event.identifiers["show"],
   *   initial: 0,
   *   apply: (taken) => taken + 1,
   * });
   * for await (const { checkpoint } of rows) {
   *   console.log("up to", checkpoint.sequence);
   *   break;
   * }
   * console.log((await store.projections.get("seats", "s1"))?.payload);
   * ```
   */
  project<State, const Q extends Query<Events> = Query<Events>>(
    name: string,
    model: GivenRowModel<Events, State, Q>,
    options?: ProjectOptions,
  ): AsyncGenerator<ProjectedRows<State>, never>;
  /**
   * Keeps a single state, such as a total, as the projection of type `projector` with this name. It is at most
   * `maxProjectionSize` bytes (64 KiB). State and checkpoint change in one write, as with rows.
   *
   * It yields the stored state first, if there is one, and again after an error, and each state that it has
   * written.
   *
   * @example
   * ```ts
   * import { EventStore } from "eventstore-client";
   *
   * const store = new EventStore({ url: "http://127.0.0.1:8085" });
   * await store.append({ type: "SeatTaken", payload: {} });
   * const seats = { query: { types: ["SeatTaken"] }, initial: 0, apply: (taken: number) => taken + 1 };
   * for await (const { state, checkpoint } of store.project("seats taken", seats)) {
   *   console.log(state, "up to", checkpoint.sequence);
   *   break;
   * }
   * ```
   */
  project<State, const Q extends Query<Events> = Query<Events>>(
    name: string,
    model: GivenModel<Events, State, Q>,
    options?: ProjectOptions,
  ): AsyncGenerator<Projected<State>, never>;
  async *project(
    name: string,
    model: object,
    options: ProjectOptions = {},
  ): AsyncGenerator<never, never> {
    const rows = (await import("./project.ts")).project(this.server, name, model, options);
    return yield* rows as AsyncGenerator<never, never>;
  }

  /**
   * Handles every event that matches, in as many processes as run it under the same name. Events with the same value
   * of `by` are handled in order, one at a time, others in parallel. The progress is kept in the store. The result of
   * `handle` is written together with it, so each event has its effects in the store exactly once. When a process
   * dies, the others take over within seconds.
   *
   * A handler that throws is called again, after pauses that grow, and then its event is parked. After a reset, the
   * consumer begins again by itself. It runs until the signal ends it. Edition A.
   * @throws the reason of the signal, or an error that no repetition mends, such as `ConsumerDiffers`
   * @example
   * ```ts
   * import { type Consumer, type ConsumerNotification, EventStore } from "eventstore-client";
   *
   * const store = new EventStore({ url: "http://127.0.0.1:8085" });
   * await store.append({ type: "OrderPlaced", identifiers: { order: "o1" }, payload: { cents: 1900 } });
   * const end = new AbortController();
   * const invoices: Consumer = {
   *   query: { types: ["OrderPlaced"] },
   *   by: "order",
   *   handle: ({ identifiers, payload }) => ({ type: "InvoiceIssued", identifiers, payload }),
   * };
   * try {
   *   const onNotification = ({ kind }: ConsumerNotification) => kind === "handled" && end.abort();
   *   await store.consume("invoices", invoices, { signal: end.signal, onNotification });
   * } catch (error) {
   *   if (!end.signal.aborted) throw error;
   * }
   * ```
   */
  async consume(
    name: string,
    consumer: Consumer<Events>,
    options: ConsumeOptions = {},
  ): Promise<never> {
    return (await import("./consume/consume.ts")).consume(this.server, name, consumer, options);
  }

  /**
   * The consumers of the store: lists them with their lag, and has parked events handled again or dropped. Edition A.
   *
   * @example
   * ```ts
   * import { EventStore } from "eventstore-client";
   *
   * const store = new EventStore({ url: "http://127.0.0.1:8085" });
   * const consumers = await store.consumers();
   * for (const { name, lag, parked } of await consumers.list()) {
   *   console.log(name, lag);
   *   if (parked) await consumers.retry(name, "all");
   * }
   * ```
   */
  async consumers(): Promise<Consumers> {
    return new (await import("./consume/consumers.ts")).Consumers(this.server);
  }

  /**
   * Runs a transaction of edition B or C: its writes happen at its end, all or nothing. It runs again, up to
   * `attempts` times, when other writes were faster, or when the transaction was lost. So `work` must have no other
   * effects. An error of `work` abandons the transaction and passes through unchanged. When the answer to the
   * commit is lost, `ConnectionLost` says that the outcome is unknown.
   *
   * @example
   * ```ts
   * // edition B
   * import { EventStore } from "eventstore-client";
   *
   * const store = new EventStore({ url: "http://127.0.0.1:8085", edition: "B" });
   * const number = await store.transaction(async (tx) => {
   *   const invoices = await tx.read({ types: ["InvoiceIssued"] });
   *   await tx.append({ type: "InvoiceIssued", payload: { number: invoices.length + 1 } });
   *   return invoices.length + 1;
   * });
   * console.log(number);
   * ```
   */
  async transaction<Result>(
    work: (tx: Transaction<Events>) => Promise<Result>,
    options: TransactionOptions = {},
  ): Promise<Result> {
    return (await import("./transact.ts")).transact(this.server, work, options);
  }
}
