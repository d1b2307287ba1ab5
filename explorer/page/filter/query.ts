import type { Alternative, Filter } from "./filter.ts";
import type { Tag } from "./tag.ts";

/*
 * Converts a filter to a query of the store.
 */

interface Pair {
  readonly name: string;
  readonly value: string;
}

export interface QueryItem {
  readonly types?: readonly string[];
  readonly identifiers?: readonly Pair[];
  readonly metadata?: readonly Pair[];
}

/** A query as requests to the store carry it. */
export type Query = string | readonly QueryItem[];

export type Edition = "A" | "B" | "C";

/** The query that matches every event. */
export function everything(edition: Edition): Query {
  return edition === "B" ? "all" : "*";
}

/** The query of a filter, with an item for each alternative. Times are not part of queries. */
export function queryOf({ alternatives }: Pick<Filter, "alternatives">, edition: Edition): Query {
  return alternatives.length === 0 ? everything(edition) : alternatives.map(itemOf);
}

function itemOf({ types, tags }: Alternative): QueryItem {
  const pairs = (kind: Tag["kind"]): Pair[] =>
    tags.filter((tag) => tag.kind === kind).map(({ name, value }) => ({ name, value }));
  const [identifiers, metadata] = [pairs("identifiers"), pairs("metadata")];
  return {
    ...types.length === 0 ? {} : { types },
    ...identifiers.length === 0 ? {} : { identifiers },
    ...metadata.length === 0 ? {} : { metadata },
  };
}
