import { TAGS_PER_NAMESPACE, TAGS_PER_NAMESPACE_MAX } from "../model/limits.ts";

/* The shapes of a row in the settings table, and the functions that build one. */

export const EDITION_NAMES = ["A", "B", "C"] as const;
export type EditionName = (typeof EDITION_NAMES)[number];

export const STORAGE_NAMES = ["sqlite", "postgres"] as const;

/** The operator's statement about failovers of PostgreSQL: see docs/several_servers.md. */
export const FAILOVER_NAMES = ["verify", "lossless"] as const;
export type FailoverName = (typeof FAILOVER_NAMES)[number];

interface Row {
  /** The environment variable that holds the setting when the file does not. */
  readonly variable: string;
  /** The editions that use the setting; omitted when all do. */
  readonly editions?: readonly EditionName[];
  /** One line, without a full stop. */
  readonly help: string;
}

export interface IntegerSetting extends Row {
  readonly kind: "integer";
  readonly default: number;
  readonly min: number;
  readonly max: number;
}

interface BooleanSetting extends Row {
  readonly kind: "boolean";
  readonly default: boolean;
}

export interface ChoiceSetting<Choice extends string = string> extends Row {
  readonly kind: "choice";
  readonly default: Choice;
  readonly choices: readonly Choice[];
  readonly ignoreCase: boolean;
}

export interface TextSetting<Default extends string | undefined = string | undefined> extends Row {
  readonly kind: "text";
  readonly format:
    | "path"
    | "socketPath"
    | "mode"
    | "address"
    | "url"
    | "token"
    | "postgresUrl"
    | "schema"
    | "masterKey";
  readonly default: Default;
}

/** An array in the file, separated by commas in the variable. Every list is empty by default. */
export interface ListSetting extends Row {
  readonly kind: "list";
  /** Names and addresses of hosts, or names of identifiers. */
  readonly of: "hosts" | "identifiers";
  readonly default: readonly string[];
}

export type Setting = IntegerSetting | BooleanSetting | ChoiceSetting | TextSetting | ListSetting;

/** The value that a checked setting has. */
type ValueOf<S> = S extends IntegerSetting ? number
  : S extends BooleanSetting ? boolean
  : S extends ChoiceSetting<infer Choice> ? Choice
  : S extends TextSetting<infer Default> ? string | Default
  : S extends ListSetting ? readonly string[]
  : never;

export type ValuesOf<Table> = { readonly [Key in keyof Table]: ValueOf<Table[Key]> };

/** The sum of two limits is well inside a safe integer, and the maximum is more than users need. */
const LIMIT_MAX = 2 ** 31 - 1;

/** The longest time of a timer, which counts milliseconds in 31 bits. */
const TIMER_SECONDS_MAX = 2_147_483;

export const limit = integer(1, LIMIT_MAX);
/** The most identifiers of an event, and the most metadata. */
export const tagLimit = integer(TAGS_PER_NAMESPACE, TAGS_PER_NAMESPACE_MAX);
export const limitOrNone = integer(0, LIMIT_MAX);
export const seconds = integer(1, TIMER_SECONDS_MAX);
/** 0: the system chooses a free port. */
export const port = integer(0, 65535);

function integer(
  min: number,
  max: number,
): (variable: string, value: number, help: string) => IntegerSetting {
  return (variable, value, help) => ({ kind: "integer", variable, default: value, min, max, help });
}

/** A switch. Every switch is off by default. */
export function toggle(variable: string, help: string): BooleanSetting {
  return { kind: "boolean", variable, default: false, help };
}

export function choice<Choice extends string>(
  variable: string,
  choices: readonly Choice[],
  value: Choice,
  ignoreCase: boolean,
  help: string,
): ChoiceSetting<Choice> {
  return { kind: "choice", variable, default: value, choices, ignoreCase, help };
}

export function text<Default extends string | undefined>(
  variable: string,
  format: TextSetting["format"],
  value: Default,
  help: string,
): TextSetting<Default> {
  return { kind: "text", variable, format, default: value, help };
}

export function list(variable: string, of: ListSetting["of"], help: string): ListSetting {
  return { kind: "list", of, variable, default: [], help };
}

/** The same setting, used by some editions only. */
export function only<S extends Setting>(editions: readonly EditionName[], setting: S): S {
  return { ...setting, editions };
}
