import type { Queried, Query } from "./query.ts";
import type { Tag } from "./tag.ts";

/** The part of a store to which a token is restricted: the events that have all these identifiers. */
export interface Within {
  readonly identifiers: readonly Tag[];
  /** The prefix of the types of its projections, as the store has them. So they are apart from all others. */
  readonly space: string;
}

export function makeWithin(identifiers: readonly Tag[]): Within {
  const pairs = identifiers.map(({ name, value }) =>
    `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
  );
  // Escaped parts contain no slash, so the prefix of one space is never the beginning of another one's.
  return { identifiers, space: `within:${pairs.sort().join("&")}/` };
}

const SPACE = /^within:[^/&=]+=[^/&=]+(?:&[^/&=]+=[^/&=]+)*\//;

/** Returns the space of a type as the store has it; "" for a type outside of all spaces. */
export function spaceOf(type: string): string {
  return SPACE.exec(type)?.[0] ?? "";
}

/** Returns the query for those events that match `query` and are within. */
export function queryWithin(query: Query, { identifiers }: Within): Query {
  if (query === "none") return query;
  if (query === "every") return [{ types: [], identifiers, metadata: [] }];
  return query.map((item) => ({ ...item, identifiers: [...item.identifiers, ...identifiers] }));
}

/**
 * Returns the first identifier that keeps an event from being within: the event does not have it, or it has the name
 * with another value too, which would put the event into the part of others.
 */
export function lackingIdentifier(
  event: Pick<Queried, "identifiers">,
  { identifiers }: Within,
): Tag | undefined {
  return identifiers.find(({ name, value }) => {
    const own = event.identifiers.filter((tag) => tag.name === name);
    return own.length !== 1 || own[0]!.value !== value;
  });
}
