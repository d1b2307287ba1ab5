/**
 * A client for the event store: reads, writes, decisions.
 *
 * @example
 * ```ts
 * import { EventStore } from "eventstore-client";
 *
 * const store = new EventStore({ url: "http://127.0.0.1:8085" });
 * await store.append({ type: "CourseDefined", identifiers: { course: "c1" }, payload: { capacity: 30 } });
 * for await (const event of store.readAll("*")) console.log(event.type, event.payload);
 * ```
 *
 * @module
 */

export type {
  ConsumeOptions,
  Consumer,
  ConsumerNotification,
  Effects,
  HandleContext,
  Handled,
} from "./consume/consumer.ts";
export type {
  ConsumerPartition,
  Consumers,
  ConsumerState,
  ConsumerSummary,
  ParkedEvent,
} from "./consume/consumers.ts";
export type { Decided, DecideOptions, Decision, DecisionSoon, DecisionWithResult, Known } from "./decide.ts";
export {
  type ApplyByType,
  type DecisionModel,
  decisionModel,
  type DecisionModelByType,
  type GivenModel,
  type SnapshotOptions,
} from "./decision_model.ts";
export * from "./errors.ts";
export type { EventReader } from "./event_reader.ts";
export { EventStore } from "./event_store.ts";
export type {
  EventOf,
  Identified,
  IdentifierName,
  IdentifiersOf,
  NewEvent,
  NewIdentifiers,
  PayloadFormat,
  PayloadOf,
  Position,
  QueryIdentifiers,
  StoredEvent,
  Tags,
  TypeOf,
} from "./events.ts";
export type { Followed, FollowOptions } from "./follow.ts";
export type { ForgetOptions, Forgotten, Subject } from "./forget.ts";
export type { OneOrMore } from "./one_or_more.ts";
export type {
  OpenTelemetry,
  SpanAttributes,
  TraceContext,
  TraceParent,
  TraceSpan,
} from "./open_telemetry.ts";
export type { CallOptions, EventStoreOptions, NotJson } from "./options.ts";
export type { ListedProjection, ListOptions } from "./list_projections.ts";
export type { GivenRowModel, ProjectedRows, RowModel } from "./project_rows.ts";
export type { Projected } from "./project_state.ts";
export { type Projection, Projections } from "./projections.ts";
export type { ProjectOptions } from "./projector.ts";
export type { Condition, OnlyKnownKeys, Query, QueryItem, SelectedType } from "./queries.ts";
export type { BackwardsPage, Page, ReadAllOptions, ReadOptions } from "./reading.ts";
export type {
  EventsOf,
  PayloadVersion,
  SchemaIssue,
  SchemaOptions,
  SchemaResult,
  Schemas,
  StandardSchema,
  UpcastEvent,
  VersionedSchema,
} from "./schemas/standard_schema.ts";
export type { Transaction, TransactionOptions, TransactionProjections } from "./transaction.ts";
export type { Transport, TransportReply, TransportRequest } from "./transport/transport.ts";
export type { WriteOnceOptions, WrittenOnce } from "./write_once.ts";
export type {
  Appended,
  AppendedEvent,
  AppendOptions,
  NewProjection,
  ProjectionChanges,
  ProjectionVersion,
  ProjectionVersions,
} from "./writing.ts";
