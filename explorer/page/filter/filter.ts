import { isSameTag, type Tag } from "./tag.ts";

/*
 * What the list of events is narrowed to.
 */

/** Any of the types and all of the tags. */
export interface Alternative {
  readonly types: readonly string[];
  readonly tags: readonly Tag[];
}

/** Any of the alternatives, and a time. */
export interface Filter {
  /** None is empty. Without one, every event is meant. */
  readonly alternatives: readonly Alternative[];
  /** Milliseconds since 1970; the events of this moment are in. */
  readonly from: number | undefined;
  /** Milliseconds since 1970; the events of this moment are out. */
  readonly before: number | undefined;
}

/** An alternative that asks for nothing yet. */
export const NOTHING_ASKED: Alternative = { types: [], tags: [] };

export const NO_FILTER: Filter = { alternatives: [], from: undefined, before: undefined };

export function isEmpty({ alternatives, from, before }: Filter): boolean {
  return alternatives.length === 0 && from === undefined && before === undefined;
}

/** Nothing is left out but what asks for nothing. */
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

/** Only what also has the tag: each alternative asks for it. */
export function narrowedToTag(filter: Filter, tag: Tag): Filter {
  return narrowed(filter, (alternative) => withTag(alternative, tag));
}

/** Only what is of this type: each alternative asks for no other. */
export function narrowedToType(filter: Filter, type: string): Filter {
  const canBe = filter.alternatives.filter(({ types }) => types.length === 0 || types.includes(type));
  return narrowed({ ...filter, alternatives: canBe }, ({ tags }) => ({ types: [type], tags }));
}

function narrowed(filter: Filter, narrow: (alternative: Alternative) => Alternative): Filter {
  const { alternatives } = filter;
  const narrower = (alternatives.length === 0 ? [NOTHING_ASKED] : alternatives).map(narrow);
  // Two may ask for the same now.
  const byText = new Map(narrower.map((alternative) => [JSON.stringify(alternative), alternative]));
  return { ...filter, alternatives: [...byText.values()] };
}
