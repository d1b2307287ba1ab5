/**
 * Payloads over the years: versions of a payload, and a check of all that a store holds.
 *
 * @module
 */

export {
  checkPayloads,
  type CheckPayloadsOptions,
  type PayloadFailure,
  type PayloadReport,
  type VersionCount,
} from "./check_payloads.ts";
export { identified } from "./identified.ts";
export type {
  EventsOf,
  PayloadVersion,
  SchemaIssue,
  SchemaResult,
  Schemas,
  StandardSchema,
  UpcastEvent,
  VersionedSchema,
} from "./standard_schema.ts";
export { versions } from "./versions.ts";
