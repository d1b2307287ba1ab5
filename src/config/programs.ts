import type { Section } from "./settings.ts";

export type FlagName =
  | "config"
  | "data-dir"
  | "check-config"
  | "print-config"
  | "default-config"
  | "version"
  | "help";

export interface Flag {
  readonly name: FlagName;
  /** Undefined for a flag that takes no value. */
  readonly value?: string;
  readonly help: string;
}

export interface Program {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
  /** The section that it reads, and the settings of it that it uses; all of them when not given. */
  readonly section: Section;
  readonly keys?: readonly string[];
}

const config: Flag = {
  name: "config",
  value: "path",
  help: "configuration file (default: config.toml, if it is there)",
};

const common: readonly Flag[] = [
  { name: "default-config", help: "print a starter configuration file and exit" },
  { name: "version", help: "print the version and exit" },
  { name: "help", help: "print this text and exit" },
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
};

export const initProgram: Program = {
  name: "eventstore-init",
  summary: "Creates the data directory and the database of an event store.",
  flags: [
    config,
    { name: "data-dir", value: "path", help: "directory to create the database in, whatever dataDir says" },
    ...common,
  ],
  section: "server",
  keys: ["dataDir"],
};

export const backupProgram: Program = {
  name: "eventstore-backup",
  summary: "Copies the events of a running server into a database of its own.",
  flags: [config, ...common],
  section: "backup",
};
