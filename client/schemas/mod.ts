/**
 * Payloads over the years: versions of a payload, and a check of all that a store holds.
 *
 * @module
 */

export type {
  PayloadVersion,
  SchemaIssue,
  SchemaResult,
  StandardSchema,
  UpcastEvent,
  VersionedSchema,
} from "./standard_schema.ts";
export { versions } from "./versions.ts";
