import type { Flag } from "./program.ts";

/* Flags of the client for shells that select events. */

export const type = {
  name: "type",
  value: "type",
  repeated: true,
  help: "the event has this type, or one of several",
} as const;
export const tag = {
  name: "tag",
  value: "name=value",
  repeated: true,
  help: "the event carries this identifier, and all others that are given",
} as const;
export const meta = {
  name: "meta",
  value: "name=value",
  repeated: true,
  help: "the event carries this metadata entry, and all others that are given",
} as const;
export const query = {
  name: "query",
  value: "json",
  help: "a whole query as QUERY /events takes it, instead of --type, --tag and --meta",
} as const;

/** All flags that select stored events. Words may stand for tags and metadata entries. */
export const stored = [
  type,
  { ...tag, help: `${tag.help}; the word name=value alone means the same` },
  { ...meta, help: `${meta.help}; the word @name=value alone means the same` },
  query,
  {
    name: "after",
    value: "position",
    help: "only events after this sequence, or this line of head --json",
  },
  { name: "before", value: "sequence", help: "only events before this sequence" },
  { name: "since", value: "time", help: "begin with the first event that is not before this time" },
  { name: "until", value: "time", help: "end before the first event that is not before this time" },
] as const satisfies readonly Flag[];

export const limit = { name: "limit", value: "number", help: "stop after so many events" } as const;
