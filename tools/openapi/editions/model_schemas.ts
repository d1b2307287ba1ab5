import {
  QUERY_ITEM_VALUES_MAX,
  QUERY_ITEMS_GIVEN_MAX,
  TAGS_PER_NAMESPACE,
  TAGS_PER_NAMESPACE_MAX,
} from "../../../src/model/limits.ts";
import { settingLimit } from "../limits.ts";
import {
  answer,
  anyGiven,
  COUNT,
  described,
  list,
  NAME,
  oneWord,
  orNull,
  ref,
  request,
  type Schema,
  TEXT,
} from "../schema.ts";

type Schemas = Readonly<Record<string, Schema>>;

/** Schemas of the model that all editions share. `literals` are the words that stand for a query. */
export function modelSchemas(literals: readonly string[]): Schemas {
  return { ...VALUES, ...EVENTS, Query: query(literals), ...QUERY_PARTS, ...PROJECTIONS };
}

const VALUES: Schemas = {
  Id: { type: "string", format: "uuid" },
  Time: {
    type: "string",
    format: "date-time",
    pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z$",
    description: "UTC, with exactly six fractional digits.",
  },
  Sequence: {
    type: "integer",
    format: "int64",
    minimum: 1,
    description:
      "The place of an event in its store: 1, 2, 3, ... It means something only together with the store ID.",
  },
};

/**
 * @param minItems the least number of values in an array of values
 * @param most the most names, and the most values of one
 */
function tags(minItems: number, most: number | string): Schema {
  const values = list(TEXT, { minItems, maxItems: most, uniqueItems: true });
  return {
    type: "object",
    maxProperties: most,
    additionalProperties: { oneOf: [TEXT, values] },
  };
}

export const EVENT_PROPERTIES: Schemas = {
  sequence: ref("Sequence"),
  time: described("When the server received the write. The events of one write share it.", ref("Time")),
  type: NAME,
  identifiers: ref("Tags"),
  metadata: ref("Tags"),
  payload: TEXT,
  forgotten: described(
    "Present when the payload is empty because a key of it was destroyed: the names of those identifiers.",
    list(NAME, { minItems: 1 }),
  ),
};

const EVENTS: Schemas = {
  NewTags: described(
    `Names with one value, or with several in an array. At most as many values in all as the setting maxTagsPerEvent says, ${TAGS_PER_NAMESPACE} by default, none twice under one name.`,
    tags(1, settingLimit("maxTagsPerEvent", TAGS_PER_NAMESPACE_MAX)),
  ),
  Tags: described(
    "A name with one value holds a string, any other an array in the order sent.",
    tags(2, TAGS_PER_NAMESPACE_MAX),
  ),
  NewEvent: request({
    required: ["type", "payload"],
    properties: {
      type: NAME,
      identifiers: described("Tags that name things of the domain.", ref("NewTags")),
      metadata: described("Tags for everything else.", ref("NewTags")),
      payload: described("Stored as it is, never interpreted.", {
        type: "string",
        maxLength: settingLimit("maxEventSize"),
      }),
    },
  }),
  Event: answer(EVENT_PROPERTIES, ["forgotten"]),
  Position: answer({ store: ref("Id"), afterSequence: COUNT }),
  Catalog: described(
    "Counts of all events up to `afterSequence`. Later events may exist if very many were written just now.",
    answer(
      {
        store: ref("Id"),
        afterSequence: COUNT,
        lastEventTime: described("The time of the event at `afterSequence`.", orNull(ref("Time"))),
        types: described(
          "The most frequent first, with the sequences of the first and the last event.",
          list(answer({ type: NAME, count: COUNT, first: ref("Sequence"), last: ref("Sequence") })),
        ),
        identifiers: described(
          "For each name, how many events have an identifier of that name.",
          list(answer({ name: TEXT, count: COUNT })),
        ),
        moreTypes: described(
          "Present when there are too many types to list all. The counts of those in the list are exact.",
          { type: "boolean" },
        ),
        moreIdentifiers: described("The same for names of identifiers.", { type: "boolean" }),
      },
      ["moreTypes", "moreIdentifiers"],
    ),
  ),
  Digest: described("SHA-256 in hexadecimal digits.", { type: "string", pattern: "^[0-9a-f]{64}$" }),
  Proof: described(
    "A root of the Merkle tree of RFC 9162 over the stored lines of the events up to `head`. docs/proofs.md says how" +
      " to check it.",
    answer(
      {
        storeId: ref("Id"),
        head: COUNT,
        root: ref("Digest"),
        sequence: ref("Sequence"),
        event: described("With `sequence`: the event's line as it is stored, without its line feed.", TEXT),
        from: COUNT,
        fromRoot: described("With `from`: the root at that head.", ref("Digest")),
        path: described(
          "With `sequence` or `from`: the digests of section 2.1.3 or 2.1.4 of the RFC.",
          list(ref("Digest")),
        ),
      },
      ["sequence", "event", "from", "fromRoot", "path"],
    ),
  ),
  HasMore: described(
    "The last line of a page. A page without it was cut short: resume after the last complete line.",
    answer({ hasMore: described("Whether more events match than were sent.", { type: "boolean" }) }),
  ),
};

function query(literals: readonly string[]): Schema {
  const items = list(ref("QueryItem"), { minItems: 1, maxItems: QUERY_ITEMS_GIVEN_MAX });
  return {
    description: "An event matches when it matches any item. At most 100 items; equal ones count once.",
    oneOf: [oneWord(...literals), items],
  };
}

const QUERY_PARTS: Schemas = {
  QueryItem: request({
    description:
      `An event matches an item when it has one of the types and all of the tags. At most ${QUERY_ITEM_VALUES_MAX} values in all.`,
    ...anyGiven("types", "identifiers", "metadata"),
    properties: {
      types: list(TEXT, { minItems: 1, maxItems: QUERY_ITEM_VALUES_MAX }),
      identifiers: list(ref("Tag"), { minItems: 1, maxItems: QUERY_ITEM_VALUES_MAX }),
      metadata: list(ref("Tag"), { minItems: 1, maxItems: QUERY_ITEM_VALUES_MAX }),
    },
  }),
  Tag: request({ required: ["name", "value"], properties: { name: TEXT, value: TEXT } }),
};

/** The properties that identify a projection. */
export const PROJECTION_KEY: Schemas = { type: NAME, id: NAME };
/** A limit in bytes is also one in characters. */
const PAYLOAD: Schema = { type: "string", maxLength: settingLimit("maxProjectionSize") };
const VERSION = { version: described("The version that it must still have.", ref("Id")) };

const PROJECTIONS: Schemas = {
  ProjectionCreate: request({
    required: ["type", "id", "payload"],
    properties: { ...PROJECTION_KEY, payload: PAYLOAD },
  }),
  ProjectionReplace: request({
    required: ["type", "id", "version", "payload"],
    properties: { ...PROJECTION_KEY, ...VERSION, payload: PAYLOAD },
  }),
  ProjectionDelete: request({
    required: ["type", "id", "version"],
    properties: { ...PROJECTION_KEY, ...VERSION },
  }),
  ProjectionChanges: request({
    description: "No type and id may occur twice.",
    properties: {
      create: list(ref("ProjectionCreate")),
      replace: list(ref("ProjectionReplace")),
      delete: list(ref("ProjectionDelete")),
    },
  }),
  ListLine: { oneOf: [ref("ListedProjection"), ref("HasMore")] },
  ListedProjection: answer({
    ...PROJECTION_KEY,
    ...VERSION,
    bytes: described("The size of type, ID and payload.", COUNT),
  }),
  NewVersions: described(
    "The new versions, each list in the order sent.",
    answer({
      create: list(answer({ version: ref("Id") })),
      replace: list(answer({ version: ref("Id") })),
    }),
  ),
};
