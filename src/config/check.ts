import type { TomlValue } from "smol-toml";
import { SOCKET_PATH_BYTES_MAX } from "../model/limits.ts";
import { utf8Bytes } from "../model/utf8.ts";
import type { ChoiceSetting, IntegerSetting, Setting, TextSetting } from "./setting.ts";

export type Value = string | number | boolean;

/** A value that keeps its setting's rules, or what the setting asks for, as the end of a sentence. */
export type Checked = { readonly value: Value } | { readonly fault: string };

/** Checks a value of the file. Integers come as bigint, so that `8085.0` is no whole number. */
export function checkFileValue(setting: Setting, value: TomlValue): Checked {
  switch (setting.kind) {
    case "integer":
      return typeof value === "bigint" ? checkInteger(setting, value) : wrong(setting, value);
    case "boolean":
      return typeof value === "boolean" ? { value } : wrong(setting, value, "true or false");
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
    default:
      return checkText(setting, value);
  }
}

function checkInteger(setting: IntegerSetting, value: bigint, written: TomlValue = value): Checked {
  if (value < BigInt(setting.min) || value > BigInt(setting.max)) return wrong(setting, written);
  return { value: Number(value) };
}

function checkText(setting: Exclude<Setting, { kind: "integer" | "boolean" }>, value: string): Checked {
  switch (setting.kind) {
    case "choice": {
      const choice = findChoice(setting, value);
      return choice === undefined ? wrong(setting, value) : { value: choice };
    }
    case "mode":
      return /^[0-7]{1,4}$/.test(value) && parseInt(value, 8) <= 0o777 ? { value } : wrong(setting, value);
    case "text":
      return isWellFormed(setting.format, value) ? { value } : wrong(setting, value);
  }
}

function findChoice(setting: ChoiceSetting, value: string): string | undefined {
  const wanted = setting.ignoreCase ? value.toLowerCase() : value;
  return setting.choices.find((choice) => choice === wanted);
}

function isWellFormed(format: TextSetting["format"], value: string): boolean {
  if (value === "" || value.includes("\0")) return false;
  switch (format) {
    case "socketPath":
      return utf8Bytes(value) <= SOCKET_PATH_BYTES_MAX;
    case "token":
      // Anything else never comes out of an Authorization header as it went in, so no client would get through.
      return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value);
    case "url":
      return isServerUrl(value);
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
  return { fault: `must be ${wanted}${shown}` };
}

/** A token, and a URL that may carry a password, are shown to nobody. */
function isPrivate(setting: TextSetting): boolean {
  return setting.format === "token" || setting.format === "url";
}

function requirement(setting: Setting): string {
  switch (setting.kind) {
    case "integer":
      return `a whole number from ${setting.min} to ${setting.max}`;
    case "boolean":
      return "true or false";
    case "choice":
      return `one of ${setting.choices.map((choice) => JSON.stringify(choice)).join(", ")}`;
    case "mode":
      return 'a string of octal digits from "0" to "0777"';
    case "text":
      return textRequirements[setting.format];
  }
}

const textRequirements: Record<TextSetting["format"], string> = {
  path: "a path, and not empty",
  socketPath: `a path of 1 to ${SOCKET_PATH_BYTES_MAX} bytes`,
  address: "an address, and not empty",
  url: "an http:// or https:// URL without user, password, query or fragment",
  token: "a string of printable ASCII characters without a space at either end, and not empty",
};

/** What stands there instead, for the end of a message. */
export function describe(value: TomlValue): string {
  if (value === "") return "empty";
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return `the float ${value}`;
  if (value instanceof Date) return "a date";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "a table" : String(value);
}
