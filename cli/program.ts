import type { Section } from "../src/config/settings.ts";

export interface Flag {
  /** The name without the two dashes. */
  readonly name: string;
  /** The kind of its value; omitted for a flag that takes none. */
  readonly value?: string;
  /** True when it must be given. */
  readonly required?: true;
  /** True when it may be given more than once. */
  readonly repeated?: true;
  /** True when its value may be empty. */
  readonly mayBeEmpty?: true;
  readonly help: string;
}

/** An argument that is not a flag, identified by its position. */
export interface Argument {
  readonly name: string;
  /** True when it must be given. */
  readonly required?: true;
  /** True for the last argument of a verb when it may be given more than once. */
  readonly repeated?: true;
  /** All values that are allowed; omitted when all are. */
  readonly choices?: readonly string[];
}

/** Flags that are given together, as often as wanted. */
export interface FlagGroup {
  /** The flag that begins a group. Flags of the group that follow it, up to the next such flag, belong to it. */
  readonly begin: Flag;
  readonly flags: readonly Flag[];
}

/** A command with its own flags: a program, or a verb of one. */
interface Command {
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  readonly flags: readonly Flag[];
  /** The settings of the program's section that it uses; omitted when it uses all of them. */
  readonly keys?: readonly string[];
}

export interface Verb extends Command {
  /** The arguments besides flags, in this order. */
  readonly arguments?: readonly Argument[];
  readonly group?: FlagGroup;
}

/** Names or exit codes, and the meaning of each. */
export type Meanings = readonly (readonly [name: string, meaning: string])[];

export interface Program extends Command {
  /** The section of the configuration that it reads; omitted when it reads none. */
  readonly section?: Section;
  /** The verbs that it can execute instead of its default work. */
  readonly verbs: readonly Verb[];
  /** True when it does nothing without a verb. */
  readonly needsVerb?: true;
  /** The variables that it reads, when it has no section. */
  readonly variables?: Meanings;
  /** Its exit codes, when it has more than all programs have. */
  readonly exitCodes?: Meanings;
}

/** The given values for the flags of a program or a verb, by their names: `dry-run` is `dryRun`. */
export type Options<Flags extends readonly Flag[]> = {
  readonly [F in Flags[number] as CamelCase<F["name"]>]: OptionOf<F>;
};

/** A required flag is missing only with `--help`, which is handled before the values are read. */
type OptionOf<F extends Flag> = F extends { readonly value: string }
  ? F extends { readonly repeated: true } ? readonly string[]
  : F extends { readonly required: true } ? string
  : string | undefined
  : boolean;

type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** The arguments that a program was started with. Options are the verb's options when there is one. */
export type CommandLine<P extends Program> =
  | {
    readonly verb: undefined;
    readonly arguments: readonly [];
    readonly options: Options<P["flags"]>;
    readonly groups: readonly [];
  }
  | VerbLine<P["verbs"][number]>;

/** One shape for each verb of a union. */
type VerbLine<V extends Verb> = V extends Verb ? {
    readonly verb: V["name"];
    /** The given arguments, in order. */
    readonly arguments: readonly string[];
    readonly options: Options<V["flags"]>;
    readonly groups: readonly GroupOptions<V>[];
  }
  : never;

type GroupOptions<V extends Verb> = V extends { readonly group: FlagGroup } ? Options<V["group"]["flags"]>
  : never;
