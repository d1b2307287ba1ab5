import { type ProjectionKey, projectionKeyText } from "../../../model/projection.ts";
import { spaceOf } from "../../../model/within.ts";
import { tokenOf } from "../../core/index_terms.ts";

/** The tokens of the key of a projection, which its row is found by. */
export interface ProjectionTokens {
  readonly typeToken: string;
  readonly idToken: string;
}

const HALF_TOKEN = 16;

/** The tokens before and after all others. */
export const LOWEST_TOKEN = "0".repeat(2 * HALF_TOKEN);
const HIGHEST_TOKEN = "f".repeat(2 * HALF_TOKEN);

/**
 * The token of a type. All types of a space have the first half in common, so that a list of them is a range of the
 * index, in the same order as outside of a space.
 */
export function typeTokenOf(type: string): string {
  const space = spaceOf(type);
  if (space === "") return tokenOf(type);
  return tokenOf(space).slice(0, HALF_TOKEN) + tokenOf(type.slice(space.length)).slice(0, HALF_TOKEN);
}

/**
 * The token of an ID. In a space, half of it is of the whole key: two spaces whose tokens begin alike, which a tenant
 * who may choose its name could look for, still have no key in common. The other half keeps the order.
 */
function idTokenOf(key: ProjectionKey): string {
  if (spaceOf(key.type) === "") return tokenOf(key.id);
  return tokenOf(key.id).slice(0, HALF_TOKEN) + tokenOf(projectionKeyText(key)).slice(0, HALF_TOKEN);
}

/** The first and the last token that a type of a space may have. */
export function tokensOfSpace(space: string): [first: string, last: string] {
  if (space === "") return [LOWEST_TOKEN, HIGHEST_TOKEN];
  const half = tokenOf(space).slice(0, HALF_TOKEN);
  return [half + LOWEST_TOKEN.slice(HALF_TOKEN), half + HIGHEST_TOKEN.slice(HALF_TOKEN)];
}

export function tokensOf(key: ProjectionKey): ProjectionTokens {
  return { typeToken: typeTokenOf(key.type), idToken: idTokenOf(key) };
}

export function tokensInOrder(key: ProjectionKey): string[] {
  const { typeToken, idToken } = tokensOf(key);
  return [typeToken, idToken];
}
