import { fromRoot } from "../files/paths.ts";
import { type Right, RIGHTS } from "../model/access.ts";
import { TAGS_PER_NAMESPACE } from "../model/limits.ts";
import { sha256 } from "../model/sha256.ts";
import { makeWithin, type Within } from "../model/within.ts";
import { describe } from "./check.ts";
import { ConfigError } from "./config_error.ts";
import { type ConfigFile, readConfigFile } from "./config_file.ts";
import type { SettingValue } from "./resolve.ts";
import { didYouMean, suggest } from "./suggest.ts";
import { hasOffset, type TomlKey, type TomlTable, type TomlValue } from "./toml.ts";

/** The name of the list of tokens in a file: each is a table under the header `[[tokens]]`. */
export const TOKENS = "tokens";

/** A token as the settings describe it. */
export interface TokenSetting {
  /** Two tokens may have one name, while one replaces the other. Undefined for `authToken`. */
  readonly name: string | undefined;
  /** The SHA-256 of the token in lower-case hex. */
  readonly sha256: string;
  readonly may: readonly Right[];
  /** The part of the store that the token sees; undefined: all of it. */
  readonly within: Within | undefined;
  /** In milliseconds since 1970; undefined when it does not expire. */
  readonly expires: number | undefined;
}

/** The SHA-256 of a token, as a setting has it. */
export function tokenDigest(token: string): string {
  return [...sha256(token)].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** A name is a label of metrics, and a word in the log. */
export const TOKEN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
export const NAME_RULE = 'letters, digits, ".", "_" and "-", at most 63, beginning with a letter or a digit';

/** The digest of an empty token, which any request would have. */
const EMPTY = tokenDigest("");

const KEYS = ["name", "sha256", "may", "within", "expires"] as const;
type Key = (typeof KEYS)[number];

/** All that a token with `within` may do. What else there is shows or changes the whole store. */
export const RIGHTS_WITHIN: readonly Right[] = ["read", "write"];

interface Decoded {
  readonly tokens: readonly TokenSetting[];
  readonly problems: readonly string[];
}

/**
 * Returns the tokens of the configuration file, and together with them those of `tokensFile`, and `authToken`.
 * @param values the settings of the server; empty for a program that does not check tokens
 */
export function allTokens(
  file: ConfigFile,
  values: readonly SettingValue[],
): Decoded & { readonly inFile: readonly TokenSetting[] } {
  const valueOf = (wanted: string): unknown => values.find(({ key }) => key === wanted)?.value;
  const [authToken, path] = [valueOf("authToken"), valueOf("tokensFile")];
  const { tokens: inFile, problems: ofFile } = tokensIn(file);
  const other = typeof path === "string" ? tokensOfFile(fromRoot(path)) : { tokens: [], problems: [] };
  const single = typeof authToken === "string"
    ? [{
      name: undefined,
      sha256: tokenDigest(authToken),
      may: RIGHTS,
      within: undefined,
      expires: undefined,
    }]
    : [];
  const tokens = [...inFile, ...other.tokens, ...single];
  const problems = [...ofFile, ...other.problems];
  // A token with a fault may have no digest.
  return { inFile, tokens, problems: problems.length > 0 ? problems : contradictions(tokens) };
}

/** Decodes the tokens of a file, in its order. */
function tokensIn(file: ConfigFile): Decoded {
  const found = file.top.get(TOKENS);
  if (found === undefined) return { tokens: [], problems: [] };
  const { value } = found;
  if (!Array.isArray(value) || !value.every((one) => one instanceof Map)) {
    return {
      tokens: [],
      problems: [
        `${file.place(found)}: tokens must be tables, each under [[tokens]], not ${describe(value)}`,
      ],
    };
  }
  const problems: string[] = [];
  const tokens = (value as TomlTable[]).map((table, i) => {
    const decoder = new TokenDecoder(file, table, `tokens[${i}]`, found);
    const token = decoder.token();
    problems.push(...decoder.problems);
    return token;
  });
  return { tokens, problems };
}

/** Reads the tokens of a file of its own. */
function tokensOfFile(path: string): Decoded {
  let file: ConfigFile;
  try {
    file = readConfigFile(path);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { tokens: [], problems: error.problems.map((problem) => `tokensFile ${problem}`) };
  }
  const { tokens, problems } = tokensIn(file);
  const others = [...file.top].filter(([name]) => name !== TOKENS)
    .map(([name, key]) =>
      `${file.place(key)}: ${JSON.stringify(name)} is none of the [[tokens]] of this file`
    );
  return { tokens, problems: [...problems, ...others] };
}

/**
 * Returns a line for each token that another one equals, since the server could not know which of them was sent. And
 * one for each token that sees other events than one of the same name, since they share transactions.
 */
function contradictions(tokens: readonly TokenSetting[]): string[] {
  const [byDigest, byName] = [new Map<string, TokenSetting>(), new Map<string, TokenSetting>()];
  return tokens.flatMap((token) => {
    const { name = "", sha256, within } = token;
    const [same, named] = [byDigest.get(sha256), byName.get(name)];
    byDigest.set(sha256, token);
    byName.set(name, token);
    if (same !== undefined) return [`${nameOf(token)} and ${nameOf(same)} have the same sha256`];
    if (named === undefined || named.within?.space === within?.space) return [];
    return [`two tokens have the name ${JSON.stringify(name)}, so within must be the same for both`];
  });
}

function nameOf({ name }: TokenSetting): string {
  return name === undefined ? "authToken" : `the token ${JSON.stringify(name)}`;
}

/** Decodes one token, and collects what is wrong with it. */
class TokenDecoder {
  readonly problems: string[] = [];
  readonly #file: ConfigFile;
  readonly #table: TomlTable;
  readonly #path: string;
  readonly #list: TomlKey;

  constructor(file: ConfigFile, table: TomlTable, path: string, list: TomlKey) {
    this.#file = file;
    this.#table = table;
    this.#path = path;
    this.#list = list;
  }

  /** The token, of which nothing may be used if there are problems. */
  token(): TokenSetting {
    for (const [key, found] of this.#table) {
      if ((KEYS as readonly string[]).includes(key)) continue;
      const hint = didYouMean(suggest(key, KEYS), JSON.stringify);
      this.#problem(found, `unknown key ${JSON.stringify(key)} in ${this.#path}${hint}`);
    }
    return {
      name: this.#text("name", (name) => TOKEN_NAME.test(name), NAME_RULE),
      sha256: this.#text("sha256", isDigest, "the SHA-256 of a token in 64 hexadecimal digits").toLowerCase(),
      may: this.#rights(),
      within: this.#within(),
      expires: this.#expires(),
    };
  }

  #text(key: Key, isRight: (text: string) => boolean, rule: string): string {
    const found = this.#table.get(key);
    if (typeof found?.value === "string" && isRight(found.value)) return found.value;
    // A digest is not shown: it may be the token itself, by mistake.
    const shown = found === undefined || key === "sha256" ? "" : `, not ${describe(found.value)}`;
    this.#problem(found, `${this.#path}.${key} must be ${rule}${shown}`);
    return "";
  }

  #rights(): Right[] {
    const found = this.#table.get("may");
    const rights: readonly TomlValue[] = Array.isArray(found?.value) ? found.value : [];
    const isWithin = this.#table.has("within");
    const possible: readonly TomlValue[] = isWithin ? RIGHTS_WITHIN : RIGHTS;
    const wrong = rights.find((right) => !possible.includes(right));
    if (rights.length > 0 && wrong === undefined) return [...new Set(rights as Right[])];
    const allowed = possible.map((right) => JSON.stringify(right)).join(", ");
    const shown = wrong === undefined ? "" : `, not ${describe(wrong)}`;
    const why = isWithin ? " when there is within" : "";
    this.#problem(found, `${this.#path}.may must be a list of some of ${allowed}${why}${shown}`);
    return [];
  }

  #within(): Within | undefined {
    const found = this.#table.get("within");
    if (found === undefined) return undefined;
    const entries = found.value instanceof Map ? [...found.value as TomlTable] : [];
    const identifiers = entries.flatMap(([name, { value }]) =>
      typeof value === "string" && value !== "" && name !== "" ? [{ name, value }] : []
    );
    const isRight = identifiers.length === entries.length && entries.length > 0 &&
      entries.length <= TAGS_PER_NAMESPACE;
    if (isRight) return makeWithin(identifiers);
    this.#problem(
      found,
      `${this.#path}.within must be identifiers that are not empty, as in { tenant = "t1" }, at most ${TAGS_PER_NAMESPACE}`,
    );
    return undefined;
  }

  #expires(): number | undefined {
    const found = this.#table.get("expires");
    if (found === undefined) return undefined;
    const { value } = found;
    if (value instanceof Date && hasOffset(value)) return value.getTime();
    this.#problem(found, `${this.#path}.expires must be a time with its offset, as in 2027-01-31T00:00:00Z`);
    return undefined;
  }

  #problem(at: TomlKey | undefined, text: string): void {
    const place = at ?? this.#table.values().next().value ?? this.#list;
    this.problems.push(`${this.#file.place(place)}: ${text}`);
  }
}

function isDigest(text: string): boolean {
  return /^[0-9a-fA-F]{64}$/.test(text) && text.toLowerCase() !== EMPTY;
}
