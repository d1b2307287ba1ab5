import type { Edition } from "../filter/query.ts";

/** A right of a token, as `GET /whoami` names it. */
export type Right = "read" | "write" | "copy" | "keys" | "forget" | "operate" | "develop";

/** The answer to `GET /whoami`. */
export interface Whoami {
  readonly edition: Edition;
  /** The name of the explorer's token; null when it has none. */
  readonly name: string | null;
  readonly may: readonly Right[];
  /** The identifiers of all events that the token sees, if it does not see every event. */
  readonly within?: Readonly<Record<string, string>>;
  /** The names of identifiers that stand for a person, if the server has any. */
  readonly subjects?: readonly string[];
}
