import { parse, TomlError, type TomlTable, type TomlValue } from "smol-toml";
import { ConfigError } from "./config_error.ts";
import { KeyPlaces } from "./key_places.ts";

const DEFAULT_PATH = "config.toml";

/** The values and positions of a configuration file that is there and is TOML; nothing in it is checked yet. */
export class ConfigFile {
  /** As it was asked for, for messages. */
  readonly path: string;
  /** Whether the group or others may read the file. */
  readonly isShared: boolean;
  readonly #tables: TomlTable;
  readonly #places: KeyPlaces;

  constructor(path: string, text: string, isShared: boolean) {
    this.path = path;
    this.isShared = isShared;
    this.#tables = parseToml(path, text);
    this.#places = new KeyPlaces(text);
  }

  /** The keys outside any section, and the names of the sections. */
  get top(): readonly [string, TomlValue][] {
    return Object.entries(this.#tables);
  }

  /** What a section of the file holds; nothing when it is missing or no section. */
  section(name: string): Readonly<Record<string, TomlValue>> {
    const value = this.#tables[name];
    return value !== undefined && isTable(value) ? value : {};
  }

  /** `config.toml:12:1`, where the key stands. */
  place(...path: string[]): string {
    const place = this.#places.of(path);
    return place === undefined ? this.path : `${this.path}:${place.line}:${place.column}`;
  }
}

export function isTable(value: TomlValue): value is TomlTable {
  return typeof value === "object" && !Array.isArray(value) && !(value instanceof Date);
}

/**
 * Reads the file that was asked for, or else `config.toml` in the working directory if there is one.
 * @throws ConfigError when the file cannot be read or is not TOML
 */
export function readConfigFile(path: string | undefined): ConfigFile | undefined {
  const name = path ?? DEFAULT_PATH;
  let bytes: Uint8Array;
  let permissions: number | null;
  try {
    bytes = Deno.readFileSync(name);
    permissions = Deno.statSync(name).mode;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound && path === undefined) return undefined;
    throw new ConfigError([`${name}: cannot be read: ${reason(error)}`]);
  }
  return new ConfigFile(name, decode(name, bytes), ((permissions ?? 0) & 0o044) !== 0);
}

function reason(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "there is no such file";
  if (error instanceof Deno.errors.IsADirectory) return "it is a directory";
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  return error instanceof Error ? error.message : String(error);
}

function decode(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ConfigError([`${name}: is not UTF-8 text`]);
  }
}

function parseToml(path: string, text: string): TomlTable {
  try {
    // Big integers tell 8085 from 8085.0, and keep a number that is too large what it is.
    return parse(text, { integersAsBigInt: true });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The rest of the message quotes the file, which may hold a token.
    const what = error.message.split("\n")[0]!.replace(/^Invalid TOML document: /, "");
    throw new ConfigError([`${path}:${error.line}:${error.column}: not valid TOML: ${what}`]);
  }
}
