import { isHost } from "../model/address.ts";
import { utf8BytesOver } from "../model/utf8.ts";
import { masterKeysIn } from "./master_keys.ts";
import { pathFault } from "./path_fault.ts";
import type { ChoiceSetting, IntegerSetting, ListSetting, Setting, TextSetting } from "./setting.ts";
import { parsePostgresUrl } from "./postgres_url.ts";
import type { TomlValue } from "./toml.ts";

/** The longest path of a unix socket, in bytes, that every supported kernel accepts. */
const SOCKET_PATH_BYTES_MAX = 107;

/** The items of each kind of list. */
const LISTS: Readonly<Record<ListSetting["of"], ListRule>> = {
  hosts: {
    items: "host names and IP addresses without scheme and port",
    example: "events.example.com",
    isItem: isHost,
  },
  identifiers: {
    items: "names of identifiers",
    example: "student",
    // The memory of keys has a NUL between the name and the value of a subject.
    isItem: (text) => text !== "" && !text.includes("\0"),
  },
};

interface ListRule {
  readonly items: string;
  readonly example: string;
  readonly isItem: (text: string) => boolean;
}

/** The text shown instead of a secret. */
export const SECRET_MASK = "********";

export type Value = string | number | boolean | readonly string[];

/** Formats of values that must not be printed, and that other users must not be able to read. */
const SECRETS: Readonly<Partial<Record<TextSetting["format"], string>>> = {
  token: "token",
  postgresUrl: "URL",
  masterKey: "master key",
};

/** A value that follows its setting's rules, or the rule that it breaks, as the end of a sentence. */
export type Checked = { readonly value: Value } | { readonly fault: string };

/** Checks a value of the file. The parser returns integers as bigint, so that `8085.0` is not a whole number. */
export function checkFileValue(setting: Setting, value: TomlValue): Checked {
  switch (setting.kind) {
    case "integer":
      return typeof value === "bigint" ? checkInteger(setting, value) : wrong(setting, value);
    case "boolean":
      return typeof value === "boolean" ? { value } : wrong(setting, value, "true or false");
    case "list":
      return Array.isArray(value) ? checkList(setting, value) : wrong(setting, value);
    default:
      return typeof value === "string" ? checkText(setting, value) : wrong(setting, value);
  }
}

/** Checks the value of an environment variable, which is always text. */
export function checkVariable(setting: Setting, value: string): Checked {
  switch (setting.kind) {
    case "integer":
      return /^[0-9]+$/.test(value) ? checkInteger(setting, BigInt(value), value) : wrong(setting, value);
    case "boolean":
      if (value === "true" || value === "1") return { value: true };
      if (value === "false" || value === "0") return { value: false };
      return wrong(setting, value, "true, false, 1 or 0");
    case "list":
      return checkList(
        setting,
        value.split(",").map((item) => item.trim()),
        `${LISTS[setting.of].items}, with commas in between`,
      );
    default:
      return checkText(setting, value);
  }
}

function checkInteger(setting: IntegerSetting, value: bigint, written: TomlValue = value): Checked {
  if (value < BigInt(setting.min) || value > BigInt(setting.max)) return wrong(setting, written);
  return { value: Number(value) };
}

/** Checks each item. The fault names it. */
function checkList(setting: ListSetting, items: readonly TomlValue[], wanted?: string): Checked {
  const checked: string[] = [];
  for (const item of items) {
    if (typeof item !== "string" || !LISTS[setting.of].isItem(item)) return wrong(setting, item, wanted);
    checked.push(item);
  }
  return { value: checked };
}

function checkText(setting: ChoiceSetting | TextSetting, value: string): Checked {
  if (setting.kind === "text") return checkFormat(setting, value);
  const wanted = setting.ignoreCase ? value.toLowerCase() : value;
  return setting.choices.includes(wanted) ? { value: wanted } : wrong(setting, value);
}

function checkFormat(setting: TextSetting, value: string): Checked {
  if (isSecret(setting) && value === SECRET_MASK) {
    return {
      fault: `must be the ${SECRETS[setting.format]} itself, not the mask that --print-config shows for it`,
    };
  }
  if (!isWellFormed(setting.format, value)) return wrong(setting, value);
  const fault = faultOf(setting.format, value);
  return fault === undefined ? { value } : { fault };
}

/** Returns why a well-formed value is wrong, for formats that have their own message. */
function faultOf(format: TextSetting["format"], value: string): string | undefined {
  if (format === "path" || format === "socketPath") return pathFault(value);
  if (format === "masterKey") {
    const decoded = masterKeysIn(value);
    return "fault" in decoded ? `must be ${textRequirements.masterKey}: ${decoded.fault}` : undefined;
  }
  if (format !== "postgresUrl") return undefined;
  const parsed = parsePostgresUrl(value);
  return "fault" in parsed ? parsed.fault : undefined;
}

function isWellFormed(format: TextSetting["format"], value: string): boolean {
  if (value === "" || value.includes("\0")) return false;
  switch (format) {
    case "mode":
      return /^[0-7]{1,4}$/.test(value) && parseInt(value, 8) <= 0o777;
    case "socketPath":
      return utf8BytesOver(SOCKET_PATH_BYTES_MAX, [value]) === 0;
    case "token":
      // Any other token would change in an Authorization header, so no client could authenticate.
      return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value);
    case "url":
      return isServerUrl(value);
    case "address":
      return isHost(value);
    case "schema":
      // A name that needs no quotes, and is not one of PostgreSQL's own.
      return /^[a-z_][a-z0-9_]{0,62}$/.test(value) && !/^pg_|^information_schema$/.test(value);
    default:
      return true;
  }
}

function isServerUrl(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:") &&
    url.username === "" && url.password === "" && url.search === "" && url.hash === "";
}

function wrong(setting: Setting, value: TomlValue, wanted = requirement(setting)): Checked {
  const shown = setting.kind === "text" && isPrivate(setting) ? "" : `, not ${describe(value)}`;
  const hint = setting.kind === "text" && setting.format === "mode" && typeof value !== "string"
    ? `: write it in quotes, as in ${JSON.stringify(setting.default)}`
    : "";
  return { fault: `must be ${wanted}${shown}${hint}` };
}

/** A secret, and a URL that may contain a password, are never shown. */
function isPrivate(setting: TextSetting): boolean {
  return setting.format === "url" || isSecret(setting);
}

/** True when a value must not be printed, and other users must not be able to read it. */
export function isSecret(setting: Setting): boolean {
  return setting.kind === "text" && setting.format in SECRETS;
}

/** Returns the requirement on a value, as the end of "must be". */
export function requirement(setting: Setting): string {
  switch (setting.kind) {
    case "integer":
      return `a whole number from ${setting.min} to ${setting.max}`;
    case "boolean":
      return "true or false";
    case "choice":
      return `one of ${setting.choices.map((choice) => JSON.stringify(choice)).join(", ")}`;
    case "list":
      return `a list of ${LISTS[setting.of].items}, as in ["${LISTS[setting.of].example}"]`;
    case "text":
      return textRequirements[setting.format];
  }
}

const textRequirements: Record<TextSetting["format"], string> = {
  path: "a non-empty path",
  socketPath: `a path of 1 to ${SOCKET_PATH_BYTES_MAX} bytes`,
  mode: 'a string of octal digits from "0" to "0777"',
  address: "an IP address or a host name, without scheme and port",
  url: "an http:// or https:// URL without user, password, query or fragment",
  postgresUrl: "a postgresql:// URL",
  schema: 'lower-case letters, digits and "_", at most 63, not beginning with a digit or "pg_"',
  masterKey: "keys of 32 bytes in Base64, separated by commas",
  token: "a non-empty string of printable ASCII characters without leading or trailing spaces",
};

/** Describes the given value, as the end of a message. */
export function describe(value: TomlValue): string {
  if (value === "") return "an empty string";
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return `the float ${value}`;
  if (value instanceof Date) return "a date";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "a table" : String(value);
}
