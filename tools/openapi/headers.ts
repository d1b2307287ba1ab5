import { ERROR_HEADER } from "../../src/http/error_replies.ts";
import { HEAD_HEADER, NOT_CACHED, STORE_HEADER, VERSION_HEADER } from "../../src/editions/shared/headers.ts";
import { STORE, VERSION_1 } from "./examples/names.ts";
import type { JsonObject } from "./json.ts";
import { COUNT, oneWord, ref, TEXT } from "./schema.ts";

/** The header components: the field of each, and its description. */
export const HEADERS = {
  Store: {
    field: STORE_HEADER,
    object: {
      description: "The store ID. When it changes, saved positions are void: begin again at 0.",
      required: true,
      schema: ref("Id"),
      example: STORE,
    },
  },
  Head: { field: HEAD_HEADER, object: { ...head(), required: true } },
  HeadOutsideTransaction: {
    field: HEAD_HEADER,
    object: { ...head(" Not on a read with a ticket."), required: false },
  },
  Version: {
    field: VERSION_HEADER,
    object: {
      description: "The version of the projection; compare it for equality only.",
      required: true,
      schema: ref("Id"),
      example: VERSION_1,
    },
  },
  NotCached: {
    field: "Cache-Control",
    object: { required: true, schema: oneWord(NOT_CACHED["Cache-Control"]) },
  },
  NotCachedIfProjection: {
    field: "Cache-Control",
    object: {
      description: "Where only the projection is missing.",
      required: false,
      schema: oneWord("no-store"),
    },
  },
  Error: {
    field: ERROR_HEADER,
    object: {
      description:
        "The code of the error. Without this header, the answer comes from a program in between, such as a proxy.",
      required: true,
      schema: TEXT,
    },
  },
  FileName: {
    field: "Content-Disposition",
    object: { description: "A name for the file.", required: true, schema: TEXT },
  },
} as const satisfies Record<string, { readonly field: string; readonly object: JsonObject }>;

export type HeaderName = keyof typeof HEADERS;

function head(more = ""): JsonObject {
  return {
    description:
      "The highest sequence in the store when the page began (0: none). After a page that ended with" +
      ` \`{"hasMore":false}\`, and asked for neither \`beforeSequence\` nor \`backwards\`, it may be saved as position.${more}`,
    schema: COUNT,
    example: 2,
  };
}

/** The `headers` of a Response Object; empty when there are none. */
export function headersObject(names: readonly HeaderName[]): JsonObject {
  if (names.length === 0) return {};
  return {
    headers: Object.fromEntries(
      names.map((name) => [HEADERS[name].field, { $ref: `#/components/headers/${name}` }]),
    ),
  };
}
