import { isSameTag, type Tag } from "./tag.ts";

/*
 * The filter of the list of events.
 */

/** Matches events that have any of the types and all of the tags. */
export interface Alternative {
  readonly types: readonly string[];
  readonly tags: readonly Tag[];
}

/** Matches events in a time range that match any of the alternatives. */
export interface Filter {
  /** No alternative is empty. An empty list matches every event. */
  readonly alternatives: readonly Alternative[];
  /** Milliseconds since 1970, inclusive. */
  readonly from: number | undefined;
  /** Milliseconds since 1970, exclusive. */
  readonly before: number | undefined;
}

/** An alternative without types and tags. */
export const NOTHING_ASKED: Alternative = { types: [], tags: [] };

export const NO_FILTER: Filter = { alternatives: [], from: undefined, before: undefined };

export function isEmpty({ alternatives, from, before }: Filter): boolean {
  return alternatives.length === 0 && from === undefined && before === undefined;
}

/** Removes the alternatives that have no types and no tags. */
export function alternativesOf(list: readonly Alternative[]): Alternative[] {
  return list.filter(({ types, tags }) => types.length + tags.length > 0);
}

export function withType(alternative: Alternative, type: string): Alternative {
  if (alternative.types.includes(type)) return alternative;
  return { ...alternative, types: [...alternative.types, type] };
}

export function withTag(alternative: Alternative, tag: Tag): Alternative {
  if (alternative.tags.some((other) => isSameTag(other, tag))) return alternative;
  return { ...alternative, tags: [...alternative.tags, tag] };
}

export function withoutType({ types, tags }: Alternative, type: string): Alternative {
  return { types: types.filter((other) => other !== type), tags };
}

export function withoutTag({ types, tags }: Alternative, tag: Tag): Alternative {
  return { types, tags: tags.filter((other) => !isSameTag(other, tag)) };
}

/** Adds the tag to each alternative. */
export function narrowedToTag(filter: Filter, tag: Tag): Filter {
  return narrowed(filter, (alternative) => withTag(alternative, tag));
}

/** Restricts each alternative to this type. */
export function narrowedToType(filter: Filter, type: string): Filter {
  const canBe = filter.alternatives.filter(({ types }) => types.length === 0 || types.includes(type));
  return narrowed({ ...filter, alternatives: canBe }, ({ tags }) => ({ types: [type], tags }));
}

/** True when the filter asks for nothing but this type. */
export function isOnlyType({ alternatives }: Filter, type: string): boolean {
  const [first, ...others] = alternatives;
  return others.length === 0 && first?.types.length === 1 && first.types[0] === type &&
    first.tags.length === 0;
}

function narrowed(filter: Filter, narrow: (alternative: Alternative) => Alternative): Filter {
  const { alternatives } = filter;
  const narrower = (alternatives.length === 0 ? [NOTHING_ASKED] : alternatives).map(narrow);
  // Two alternatives may have become equal.
  const byText = new Map(narrower.map((alternative) => [JSON.stringify(alternative), alternative]));
  return { ...filter, alternatives: [...byText.values()] };
}
