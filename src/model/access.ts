import type { Within } from "./within.ts";

/** The rights of a token, in the words of the service. */
export const RIGHTS = ["read", "write", "copy", "keys", "forget", "operate", "develop"] as const;

/**
 * `read`: events and projections. `write`: the same. `copy`: events as they are stored, with encrypted payloads, for
 * backups and proofs. `keys`: the keys of subjects, for a backup of them. `forget`: makes the payloads of a subject
 * unreadable for good. `operate`: what an operator does, and sees of the running server. `develop`: what deletes, and
 * is for development.
 */
export type Right = (typeof RIGHTS)[number];

/** Access is what the sender of a request may do: the token that it has, or everything where no token is required. */
export interface Access {
  /** The name of the token; undefined where no token is required. */
  readonly name: string | undefined;
  readonly rights: ReadonlySet<Right>;
  /** The part of the store that the token may see and change; undefined: all of it. */
  readonly within: Within | undefined;
  /** When the token expires, in milliseconds since 1970. */
  readonly expires: number | undefined;
  /** Aborts when the token is no longer valid. Undefined when it stays valid for as long as the server runs. */
  readonly gone: AbortSignal | undefined;
  /** Called for each request that the token does not allow. */
  readonly onForbidden?: () => void;
}

/** The access of a request without a token that asks only if the server is up. */
export const PROBE: Access = {
  name: undefined,
  rights: new Set(),
  within: undefined,
  expires: undefined,
  gone: undefined,
};

/** The access of every request where no token is required. */
export const EVERYTHING: Access = {
  name: undefined,
  rights: new Set(RIGHTS),
  within: undefined,
  expires: undefined,
  gone: undefined,
};

/**
 * True when what one token has begun is open to another one: both have the same name and see the same. The settings
 * allow no other tokens of one name, but those of a moment ago may have been others.
 */
export function isSameOwner(one: Access, other: Access): boolean {
  return one.name === other.name && one.within?.space === other.within?.space;
}
