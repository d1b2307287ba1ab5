/** The shapes of a row in the settings table, and the functions that build one. */

export type Edition = "A" | "B" | "C";

interface Row {
  /** The environment variable that holds the setting when the file does not. */
  readonly variable: string;
  /** Which editions use it: one letter each. Empty for programs that know no edition. */
  readonly editions: "" | "ABC" | "AB" | "A" | "B" | "C";
  /** One line, without a full stop. */
  readonly help: string;
}

export interface IntegerSetting extends Row {
  readonly kind: "integer";
  readonly default: number;
  readonly min: number;
  readonly max: number;
}

export interface BooleanSetting extends Row {
  readonly kind: "boolean";
  readonly default: boolean;
}

export interface ChoiceSetting<Choice extends string = string> extends Row {
  readonly kind: "choice";
  readonly default: Choice;
  readonly choices: readonly Choice[];
  readonly ignoreCase: boolean;
}

/** File permissions as an octal string. */
export interface ModeSetting extends Row {
  readonly kind: "mode";
  readonly default: string;
}

export interface TextSetting<Default extends string | undefined = string | undefined> extends Row {
  readonly kind: "text";
  readonly format: "path" | "socketPath" | "address" | "url" | "token";
  readonly default: Default;
}

export type Setting = IntegerSetting | BooleanSetting | ChoiceSetting | ModeSetting | TextSetting;

/** The value that a checked setting has. */
export type ValueOf<S> = S extends IntegerSetting ? number
  : S extends BooleanSetting ? boolean
  : S extends ChoiceSetting<infer Choice> ? Choice
  : S extends TextSetting<infer Default> ? string | Default
  : string;

export type ValuesOf<Table> = { readonly [Key in keyof Table]: ValueOf<Table[Key]> };

type Editions = Row["editions"];

/** Keeps every sum of two limits well inside a safe integer, and is more than anybody needs. */
const LIMIT_MAX = 2 ** 31 - 1;

/** The longest that a timer, which counts milliseconds in 31 bits, can run. */
const TIMER_SECONDS_MAX = 2_147_483;

export function limit(variable: string, editions: Editions, value: number, help: string): IntegerSetting {
  return { kind: "integer", variable, editions, default: value, min: 1, max: LIMIT_MAX, help };
}

export function seconds(variable: string, editions: Editions, value: number, help: string): IntegerSetting {
  return { kind: "integer", variable, editions, default: value, min: 1, max: TIMER_SECONDS_MAX, help };
}

export function port(variable: string, editions: Editions, value: number, help: string): IntegerSetting {
  return { kind: "integer", variable, editions, default: value, min: 1, max: 65535, help };
}

/** A switch; every switch is off unless somebody turns it on. */
export function toggle(variable: string, editions: Editions, help: string): BooleanSetting {
  return { kind: "boolean", variable, editions, default: false, help };
}

export function mode(variable: string, editions: Editions, value: string, help: string): ModeSetting {
  return { kind: "mode", variable, editions, default: value, help };
}

export function text<Default extends string | undefined>(
  variable: string,
  editions: Editions,
  format: TextSetting["format"],
  value: Default,
  help: string,
): TextSetting<Default> {
  return { kind: "text", variable, editions, format, default: value, help };
}
