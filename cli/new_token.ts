import { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";
import {
  NAME_RULE,
  RIGHTS_WITHIN,
  TOKEN_NAME,
  tokenDigest,
  type TokenSetting,
} from "../src/config/tokens.ts";
import { type Right, RIGHTS } from "../src/model/access.ts";
import { TAGS_PER_NAMESPACE } from "../src/model/limits.ts";
import type { Tag } from "../src/model/tag.ts";
import { parseTimestamp } from "../src/model/timestamp.ts";
import { makeWithin } from "../src/model/within.ts";

/** The prefix by which people and scanners for secrets recognize a token. */
const PREFIX = "eventstore_";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** 24 random bytes, and the checksum of their digits, in base 62. The whole token is one block of SHA-256. */
const RANDOM_BYTES = 24;
const RANDOM_DIGITS = 33;
const CHECK_DIGITS = 6;

/**
 * Returns a new token: the prefix, 192 random bits, and the CRC-32 of the digits before it. So a scanner that finds a
 * text of this form can rule out that it is none.
 */
export function newToken(): string {
  const random = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
  const digits = inBase62(BigInt(`0x${Buffer.from(random).toString("hex")}`), RANDOM_DIGITS);
  return `${PREFIX}${digits}${inBase62(BigInt(crc32(digits)), CHECK_DIGITS)}`;
}

function inBase62(value: bigint, length: number): string {
  let digits = "";
  for (; value > 0n; value /= 62n) digits = DIGITS[Number(value % 62n)] + digits;
  return digits.padStart(length, "0");
}

/** The facts about a new token. */
export interface TokenRequest {
  readonly name: string;
  /** Rights with commas in between. */
  readonly may: string;
  /** Identifiers as `name=value`; undefined: the token sees all events. */
  readonly within: readonly string[] | undefined;
  /** RFC 3339; undefined: it does not expire. */
  readonly expires: string | undefined;
}

/** Returns the faults of a request, one line each. */
export function faultsOfRequest({ name, may, within = [], expires }: TokenRequest): string[] {
  const possible: readonly string[] = within.length > 0 ? RIGHTS_WITHIN : RIGHTS;
  const unknown = rightsIn(may).find((right) => !possible.includes(right));
  const names = within.map((text) => identifierIn(text)?.name);
  const wrong = within.find((_, i) => names[i] === undefined || names.indexOf(names[i]) < i);
  return [
    ...TOKEN_NAME.test(name) ? [] : [`the name must be ${NAME_RULE}, not ${JSON.stringify(name)}`],
    ...unknown === undefined
      ? []
      : [`--may takes ${possible.join(", ")}, with commas in between, not ${JSON.stringify(unknown)}`],
    ...within.length <= TAGS_PER_NAMESPACE
      ? []
      : [`--within can be given ${TAGS_PER_NAMESPACE} times at most`],
    ...wrong === undefined ? [] : [
      `--within takes an identifier, as in tenant=t1, and each name once, not ${JSON.stringify(wrong)}`,
    ],
    ...expires === undefined || momentOf(expires) !== undefined ? [] : [
      `--expires takes a time with its offset, as in 2027-01-31T00:00:00Z, not ${JSON.stringify(expires)}`,
    ],
  ];
}

/** The setting of a token that was requested without a fault. */
export function settingOf(token: string, { name, may, within = [], expires }: TokenRequest): TokenSetting {
  const identifiers = within.map((text) => identifierIn(text)!);
  return {
    name,
    sha256: tokenDigest(token),
    may: rightsIn(may) as Right[],
    within: identifiers.length === 0 ? undefined : makeWithin(identifiers),
    expires: expires === undefined ? undefined : momentOf(expires),
  };
}

function rightsIn(may: string): string[] {
  return may.split(",").map((right) => right.trim());
}

function identifierIn(text: string): Tag | undefined {
  const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  return name === undefined ? undefined : { name, value: value! };
}

/** Returns milliseconds since 1970, or undefined for a text that is no time. */
function momentOf(text: string): number | undefined {
  const micros = parseTimestamp(text);
  return micros === undefined ? undefined : Number(micros / 1000n);
}
