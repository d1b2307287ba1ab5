import type { Query, QueryItem, Tags } from "../../client/mod.ts";
import { ApiError } from "../model/errors.ts";
import type { Tag } from "../model/tag.ts";
import { parseJson } from "../wire/json.ts";
import { decodeQuery, type QueryLiterals } from "../wire/query.ts";
import { Wrong } from "./ends.ts";

/** The query for events, as flags give it. */
export interface QueryFlags {
  readonly type: readonly string[];
  readonly tag: readonly string[];
  readonly meta: readonly string[];
  readonly query: string | undefined;
}

/** Both words for every event. Each works with servers of every edition. */
const LITERALS: QueryLiterals = new Map([["*", "every"], ["all", "every"]]);

/**
 * Returns a query of one item: any of the types, all of the tags and metadata entries. Without flags it selects every
 * event.
 * @throws Wrong
 */
export function queryOf({ type, tag, meta, query }: QueryFlags): Query {
  const isItem = type.length + tag.length + meta.length > 0;
  if (query === undefined) {
    if (!isItem) return "*";
    return itemOf(type, tagsOf(tag, "tag"), tagsOf(meta, "meta"));
  }
  if (isItem) throw new Wrong("--query stands alone, without --type, --tag and --meta");
  const decoded = whole(query);
  if (typeof decoded === "string") return "*";
  return decoded.map(({ types, identifiers, metadata }) =>
    itemOf(types, tagsByName(identifiers), tagsByName(metadata))
  );
}

/** Adds words to the flags: `name=value` is a tag, `@name=value` a metadata entry. @throws Wrong */
export function withWords(words: readonly string[], flags: QueryFlags): QueryFlags {
  const wrong = words.find((word) => !/^@?[^@=][^=]*=/.test(word));
  if (wrong !== undefined) {
    throw new Wrong(`unexpected argument ${JSON.stringify(wrong)}: a type needs --type, a tag is name=value`);
  }
  const { meta = [], tag = [] } = Object.groupBy(words, (word) => word.startsWith("@") ? "meta" : "tag");
  return {
    ...flags,
    tag: [...flags.tag, ...tag],
    meta: [...flags.meta, ...meta.map((word) => word.slice(1))],
  };
}

function whole(text: string): ReturnType<typeof decodeQuery> {
  try {
    return decodeQuery(parseJson(new TextEncoder().encode(text)), "query", LITERALS);
  } catch (error) {
    if (error instanceof ApiError) throw new Wrong(`--query: ${error.detail?.replace(/^body /, "it ")}`);
    throw error;
  }
}

function itemOf(types: readonly string[], identifiers: Tags, metadata: Tags): QueryItem {
  return {
    ...(types.length === 0 ? {} : { types }),
    ...(Object.keys(identifiers).length === 0 ? {} : { identifiers }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}

/** Parses tags as flags give them, `name=value`; a value may contain further equals signs. @throws Wrong */
export function tagsOf(pairs: readonly string[], flag: string): Tags {
  return tagsByName(pairs.map((pair) => {
    const end = pair.indexOf("=");
    if (end < 1) throw new Wrong(`--${flag}: must be name=value, not ${JSON.stringify(pair)}`);
    return { name: pair.slice(0, end), value: pair.slice(end + 1) };
  }));
}

/** Returns the same tags as an object, which may have `__proto__` as a key of its own. */
export function tagsByName(tags: readonly Tag[]): Tags {
  const byName = Map.groupBy(tags, ({ name }) => name);
  return Object.fromEntries([...byName].map(([name, same]) => [name, same.map(({ value }) => value)]));
}
