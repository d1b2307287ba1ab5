import type { Section } from "./settings.ts";

export type FlagName =
  | "config"
  | "data-dir"
  | "import"
  | "check-config"
  | "print-config"
  | "quiet"
  | "json"
  | "metrics-file"
  | "all"
  | "against-source"
  | "to"
  | "dry-run"
  | "force"
  | "output"
  | "from"
  | "default-config"
  | "version"
  | "help";

export interface Flag {
  readonly name: FlagName;
  /** Undefined for a flag that takes no value. */
  readonly value?: string;
  /** It must be given. */
  readonly required?: true;
  readonly help: string;
}

/** What can be called and has flags of its own: a program, or a verb of one. */
interface Callable {
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  readonly flags: readonly Flag[];
  /** The settings of the program's section that it uses; all of them when not given. */
  readonly keys?: readonly string[];
}

export type VerbName = "verify" | "list" | "restore" | "export";

export interface Verb extends Callable {
  readonly name: VerbName;
  /** What may be given once beside flags. */
  readonly argument?: string;
}

export interface Program extends Callable {
  /** The section that it reads. */
  readonly section: Section;
  /** What it can do instead of what it does without a verb. */
  readonly verbs: readonly Verb[];
}

const config: Flag = {
  name: "config",
  value: "path",
  help: "configuration file (default: config.toml, if it is there)",
};

const version: Flag = { name: "version", help: "print the version and exit" };
const help: Flag = { name: "help", help: "print this text and exit" };

const common: readonly Flag[] = [
  { name: "default-config", help: "print a starter configuration file and exit" },
  version,
  help,
];

export const serverProgram: Program = {
  name: "eventstore-server",
  summary: "Append-only event store over HTTP.",
  flags: [
    config,
    { name: "check-config", help: "check the whole configuration, open nothing and exit" },
    { name: "print-config", help: "print every setting with its source and exit; tokens are masked" },
    ...common,
  ],
  section: "server",
  verbs: [],
};

export const initProgram: Program = {
  name: "eventstore-init",
  summary: "Creates the data directory and the database of an event store.",
  flags: [
    config,
    { name: "data-dir", value: "path", help: "directory to create the database in, whatever dataDir says" },
    {
      name: "import",
      value: "path",
      help: "put the events of an exported file into the database (- for standard input)",
    },
    ...common,
  ],
  section: "server",
  keys: ["dataDir"],
  verbs: [],
};

const verifyVerb: Verb = {
  name: "verify",
  summary: "Checks that backups are complete and undamaged.",
  argument: "store-id",
  flags: [
    config,
    { name: "all", help: "check every backup in dataDir, which is also what happens without a store ID" },
    { name: "against-source", help: "compare with the events of the running source, too" },
    { name: "json", help: "print one JSON object per backup instead of a line for people" },
    help,
  ],
};

const listVerb: Verb = {
  name: "list",
  summary: "Shows the backups in dataDir.",
  flags: [config, { name: "json", help: "print one JSON object per backup instead of a table" }, help],
  keys: ["dataDir"],
};

const restoreVerb: Verb = {
  name: "restore",
  summary: "Makes a data directory that a server starts on from a backup.",
  argument: "store-id",
  flags: [
    config,
    { name: "to", value: "path", required: true, help: "data directory to make; created when it is missing" },
    { name: "dry-run", help: "check everything and say what would be done, but change nothing" },
    { name: "force", help: "replace the database that is there, once the new one is complete" },
    help,
  ],
  keys: ["dataDir"],
};

const exportVerb: Verb = {
  name: "export",
  summary: "Writes the events of a backup as JSON lines.",
  argument: "store-id",
  flags: [
    config,
    { name: "output", value: "path", help: "file to write (default: standard output)" },
    { name: "from", value: "path", help: "data directory of a stopped server to read instead of a backup" },
    help,
  ],
  keys: ["dataDir"],
};

export const backupProgram: Program = {
  name: "eventstore-backup",
  summary: "Copies the events of a running server into a database of its own.",
  flags: [
    config,
    { name: "quiet", help: "print nothing but errors" },
    { name: "json", help: "print the summary as one line of JSON" },
    { name: "metrics-file", value: "path", help: "file to write metrics to, for a scraper of text files" },
    ...common,
  ],
  section: "backup",
  verbs: [verifyVerb, listVerb, restoreVerb, exportVerb],
};
