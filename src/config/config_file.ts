import { sections, settingsOf } from "./settings.ts";
import { fromRoot } from "../files/paths.ts";
import { ConfigError } from "./config_error.ts";
import { parseToml, type TomlKey, type TomlTable } from "./toml.ts";

const DEFAULT_PATH = "config.toml";

/** The values and positions of a configuration file that is valid TOML. Its values are not checked yet. */
export class ConfigFile {
  /** An absolute path, for messages. */
  readonly path: string;
  /** False for a missing default file, which counts as empty. */
  readonly exists: boolean;
  /** True when the group or others may read the file. */
  readonly isShared: boolean;
  /** The keys outside any section, and the names of the sections. */
  readonly top: TomlTable;

  constructor(path: string, text: string | undefined, isShared: boolean) {
    this.path = path;
    this.exists = text !== undefined;
    this.isShared = isShared;
    this.top = parseToml(path, text ?? "", quotesHint);
  }

  /** Returns the content of a section of the file: an empty table when it is missing or not a section. */
  section(name: string): TomlTable {
    const value = this.top.get(name)?.value;
    return value instanceof Map ? value : new Map();
  }

  /** Returns the place of a key as `/etc/config.toml:12:1`. */
  place({ line, column }: TomlKey): string {
    return `${this.path}:${line}:${column}`;
  }
}

/**
 * Reads the requested file, or else `config.toml` in the working directory. A missing `config.toml` counts as empty.
 * @throws ConfigError when the file cannot be read or is not TOML
 */
export function readConfigFile(path: string | undefined): ConfigFile {
  const name = fromRoot(path ?? DEFAULT_PATH);
  const { text, isShared } = readText(name, path === undefined);
  return new ConfigFile(name, text, isShared);
}

interface ReadText {
  /** undefined when the file is missing, and may be. */
  readonly text: string | undefined;
  /** True when the group or others may read the file. */
  readonly isShared: boolean;
}

/** Reads a file of text. @throws ConfigError */
export function readText(name: string, mayBeMissing = false): ReadText {
  let bytes: Uint8Array;
  let permissions: number | null;
  try {
    bytes = Deno.readFileSync(name);
    permissions = Deno.statSync(name).mode;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound && mayBeMissing) return { text: undefined, isShared: false };
    throw new ConfigError([`${name}: cannot be read: ${reason(error)}`]);
  }
  return { text: decode(name, bytes), isShared: ((permissions ?? 0) & 0o044) !== 0 };
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

/**
 * Returns the hint for a line that gives a setting a text without quotes, the usual reason why a line is not TOML. The
 * hint does not repeat the text, which may be a token.
 */
function quotesHint(line: string): string {
  const key = /^\s*([A-Za-z]+)\s*=\s*[^\s"'#]/.exec(line)?.[1];
  const setting = sections.flatMap(settingsOf)
    .find(([name, { kind }]) => name === key && (kind === "text" || kind === "choice"))?.[1];
  if (setting === undefined) return "";
  const { default: example = "..." } = setting;
  return `; the value of ${key} needs quotes, as in ${key} = ${JSON.stringify(example)}`;
}
