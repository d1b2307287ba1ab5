/*
 * What the list of events is narrowed to, and the query that says so to the store.
 */

export interface Tag {
  readonly kind: "identifiers" | "metadata";
  readonly name: string;
  readonly value: string;
}

/** Any of the types, all of the tags, and a time. */
export interface Filter {
  readonly types: readonly string[];
  readonly tags: readonly Tag[];
  /** Milliseconds since 1970; the events of this moment are in. */
  readonly from: number | undefined;
  /** Milliseconds since 1970; the events of this moment are out. */
  readonly before: number | undefined;
}

interface Pair {
  readonly name: string;
  readonly value: string;
}

export interface QueryItem {
  readonly types?: readonly string[];
  readonly identifiers?: readonly Pair[];
  readonly metadata?: readonly Pair[];
}

/** A query as the store takes it. */
export type Query = string | readonly QueryItem[];

export type Edition = "A" | "B" | "C";

/** What matches everything. */
export function everything(edition: Edition): Query {
  return edition === "B" ? "all" : "*";
}

/** The query of a filter; times are no part of one. */
export function queryOf({ types, tags }: Filter, edition: Edition): Query {
  if (types.length === 0 && tags.length === 0) return everything(edition);
  const pairs = (kind: Tag["kind"]): Pair[] =>
    tags.filter((tag) => tag.kind === kind).map(({ name, value }) => ({ name, value }));
  const [identifiers, metadata] = [pairs("identifiers"), pairs("metadata")];
  return [{
    ...types.length === 0 ? {} : { types },
    ...identifiers.length === 0 ? {} : { identifiers },
    ...metadata.length === 0 ? {} : { metadata },
  }];
}

export function isSameTag(a: Tag, b: Tag): boolean {
  return a.kind === b.kind && a.name === b.name && a.value === b.value;
}

export function isEmpty({ types, tags, from, before }: Filter): boolean {
  return types.length === 0 && tags.length === 0 && from === undefined && before === undefined;
}

export function withType(filter: Filter, type: string): Filter {
  return filter.types.includes(type) ? filter : { ...filter, types: [...filter.types, type] };
}

export function withTag(filter: Filter, tag: Tag): Filter {
  return filter.tags.some((other) => isSameTag(other, tag))
    ? filter
    : { ...filter, tags: [...filter.tags, tag] };
}
