import type { Section } from "../src/config/settings.ts";

export interface Flag {
  /** Without the two dashes. */
  readonly name: string;
  /** What its value is; omitted for a flag that takes none. */
  readonly value?: string;
  /** It must be given. */
  readonly required?: true;
  readonly help: string;
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
  /** What may be given once besides flags. */
  readonly argument?: string;
}

export interface Program extends Command {
  /** The section of the configuration that it reads. */
  readonly section: Section;
  /** What it can do instead of what it does without a verb. */
  readonly verbs: readonly Verb[];
}

/** What was given for the flags of a program or a verb, by their names: `dry-run` is `dryRun`. */
export type Options<Flags extends readonly Flag[]> = {
  readonly [F in Flags[number] as CamelCase<F["name"]>]: OptionOf<F>;
};

/** A required one is missing only with `--help`, which is handled before anything reads the others. */
type OptionOf<F extends Flag> = F extends { readonly value: string }
  ? F extends { readonly required: true } ? string : string | undefined
  : boolean;

type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** The arguments that a program was started with. Options are those of the verb when there is one. */
export type CommandLine<P extends Program> =
  | { readonly verb: undefined; readonly argument: undefined; readonly options: Options<P["flags"]> }
  | VerbLine<P["verbs"][number]>;

/** One shape for each verb of a union of them. */
type VerbLine<V extends Verb> = V extends Verb ? {
    readonly verb: V["name"];
    readonly argument: string | undefined;
    readonly options: Options<V["flags"]>;
  }
  : never;
