import type { Section } from "../src/config/settings.ts";

export interface Flag {
  /** Without the two dashes. */
  readonly name: string;
  /** What its value is; omitted for a flag that takes none. */
  readonly value?: string;
  /** It must be given. */
  readonly required?: true;
  /** It may be given more than once. */
  readonly repeated?: true;
  /** Its value may be empty. */
  readonly mayBeEmpty?: true;
  readonly help: string;
}

/** What is given besides flags, by its place. */
export interface Argument {
  readonly name: string;
  /** It must be given. */
  readonly required?: true;
  /** All that it may be. */
  readonly choices?: readonly string[];
}

/** Flags that are given together, as often as wanted. */
export interface FlagGroup {
  /** It begins a group. The flags of the group that come behind it, up to the next such flag, belong to it. */
  readonly begin: Flag;
  readonly flags: readonly Flag[];
}

/** What can be run and has flags of its own: a program, or a verb of one. */
interface Command {
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  readonly flags: readonly Flag[];
  /** The settings of the program's section that it uses; omitted when it uses all of them. */
  readonly keys?: readonly string[];
}

export interface Verb extends Command {
  /** What may be given besides flags, in this order. */
  readonly arguments?: readonly Argument[];
  readonly group?: FlagGroup;
}

/** Names, or codes, and what each of them means. */
export type Meanings = readonly (readonly [name: string, meaning: string])[];

export interface Program extends Command {
  /** The section of the configuration that it reads; omitted when it reads none. */
  readonly section?: Section;
  /** What it can do instead of what it does without a verb. */
  readonly verbs: readonly Verb[];
  /** It does nothing without a verb. */
  readonly needsVerb?: true;
  /** The variables that it reads, when it has no section. */
  readonly variables?: Meanings;
  /** How it ends, when it knows more ends than all programs do. */
  readonly exitCodes?: Meanings;
}

/** What was given for the flags of a program or a verb, by their names: `dry-run` is `dryRun`. */
export type Options<Flags extends readonly Flag[]> = {
  readonly [F in Flags[number] as CamelCase<F["name"]>]: OptionOf<F>;
};

/** A required one is missing only with `--help`, which is handled before anything reads the others. */
type OptionOf<F extends Flag> = F extends { readonly value: string }
  ? F extends { readonly repeated: true } ? readonly string[]
  : F extends { readonly required: true } ? string
  : string | undefined
  : boolean;

type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** The arguments that a program was started with. Options are those of the verb when there is one. */
export type CommandLine<P extends Program> =
  | {
    readonly verb: undefined;
    readonly arguments: readonly [];
    readonly options: Options<P["flags"]>;
    readonly groups: readonly [];
  }
  | VerbLine<P["verbs"][number]>;

/** One shape for each verb of a union of them. */
type VerbLine<V extends Verb> = V extends Verb ? {
    readonly verb: V["name"];
    /** Those that were given, in order. */
    readonly arguments: readonly string[];
    readonly options: Options<V["flags"]>;
    readonly groups: readonly GroupOptions<V>[];
  }
  : never;

type GroupOptions<V extends Verb> = V extends { readonly group: FlagGroup } ? Options<V["group"]["flags"]>
  : never;
