import { QUERY_ITEM_VALUES_MAX, QUERY_ITEMS_GIVEN_MAX, QUERY_ITEMS_MAX } from "../model/limits.ts";
import { mergeDuplicateItems, type Query, type QueryItem } from "../model/query.ts";
import type { Tag } from "../model/tag.ts";
import {
  decodeArray,
  decodeObject,
  decodeString,
  type Elements,
  isArray,
  isObject,
  isOmitted,
  wrong,
} from "./decode.ts";
import { invalid, overLimit, quoted, withPath } from "./invalid.ts";

/** The strings that an edition accepts in place of query items, and what they mean. */
export type QueryLiterals = ReadonlyMap<string, Query>;

const ITEM_KEYS = ["types", "identifiers", "metadata"] as const;
const ENTRY_KEYS = ["name", "value"] as const;
const ENTRY_EXAMPLE = '{"name":"course","value":"c1"}';

/**
 * Decodes a query that must be given; `path` is its name. Duplicate items are merged.
 * @throws ApiError InvalidRequest
 */
export function decodeQuery(value: unknown, path: string, literals: QueryLiterals): Query {
  if (isOmitted(value)) throw invalid("", `${path} is missing`);
  if (typeof value === "string") {
    const query = literals.get(value);
    if (query === undefined) throw invalid("", `${path} must be ${expected(literals)}, not ${quoted(value)}`);
    return query;
  }
  if (!isArray(value)) throw wrong("", path, expected(literals), value);
  if (value.length === 0) throw invalid("", `${path} is an empty array; it must be ${expected(literals)}`);
  return decodeItems(value, path);
}

function expected(literals: QueryLiterals): string {
  return [...literals.keys()].map((literal) => `"${literal}"`).join(" or ") +
    " or a non-empty array of items";
}

function decodeItems(elements: Elements, path: string): QueryItem[] {
  if (elements.length > QUERY_ITEMS_GIVEN_MAX) {
    throw overLimit("", `${path} has more than ${QUERY_ITEMS_GIVEN_MAX} items, repeated ones included`);
  }
  let items: QueryItem[] = [];
  for (const [i, element] of elements.entries()) {
    items.push(decodeItem(element, `${path}[${i}]`));
    // Merging from time to time rejects a flood of items early and never holds many.
    if (items.length <= 2 * QUERY_ITEMS_MAX && i < elements.length - 1) continue;
    items = mergeDuplicateItems(items);
    if (items.length > QUERY_ITEMS_MAX) {
      throw overLimit("", `${path} has more than ${QUERY_ITEMS_MAX} distinct items`);
    }
  }
  return items;
}

function decodeItem(value: unknown, path: string): QueryItem {
  const item = decodeObject(value, path, ITEM_KEYS);
  const types = decodeValues(item.types, path, "types");
  const identifiers = decodeEntries(item.identifiers, path, "identifiers");
  const metadata = decodeEntries(item.metadata, path, "metadata");
  const count = types.length + identifiers.length + metadata.length;
  if (count === 0) throw invalid(path, "an item needs at least one of types, identifiers and metadata");
  if (count > QUERY_ITEM_VALUES_MAX) {
    throw overLimit(path, `the item has ${count} values, more than ${QUERY_ITEM_VALUES_MAX}`);
  }
  return {
    types: types.map((type, i) => decodeString(type, path, `types[${i}]`)),
    identifiers: identifiers.map((entry, i) => decodeEntry(entry, path, `identifiers[${i}]`)),
    metadata: metadata.map((entry, i) => decodeEntry(entry, path, `metadata[${i}]`)),
  };
}

function decodeValues(value: unknown, path: string, name: string): Elements {
  if (isOmitted(value)) return [];
  const values = decodeArray(value, path, name);
  if (values.length === 0) throw invalid(path, `${name} is an empty array; omit the key`);
  return values;
}

/**
 * Tags of events are objects. A client that sends a query's tags in that form gets an error that shows the right form.
 */
function decodeEntries(value: unknown, path: string, name: string): Elements {
  if (isOmitted(value) || isArray(value)) return decodeValues(value, path, name);
  throw wrong(path, name, `an array (e.g. [${ENTRY_EXAMPLE}])`, value);
}

function decodeEntry(value: unknown, path: string, name: string): Tag {
  const entryPath = withPath(path, name);
  const keys = isObject(value) ? Object.keys(value) : [];
  if (keys.length === 1 && !ENTRY_KEYS.some((key) => key === keys[0])) {
    throw invalid(entryPath, `unknown key ${quoted(keys[0]!)} (an entry is like ${ENTRY_EXAMPLE})`);
  }
  const entry = decodeObject(value, entryPath, ENTRY_KEYS);
  return {
    name: decodeString(entry.name, entryPath, "name"),
    value: decodeString(entry.value, entryPath, "value"),
  };
}
