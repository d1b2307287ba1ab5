import { clientProgram } from "./client_program.ts";
import type { Argument, Flag, Program, Verb } from "./program.ts";

const config = {
  name: "config",
  value: "path",
  help: "configuration file (default: config.toml, if it exists)",
} as const satisfies Flag;

const storeId = { name: "store-id" } as const satisfies Argument;

const help = { name: "help", help: "print this text and exit; so does -h" } as const satisfies Flag;

const common = [
  { name: "check-config", help: "check the whole configuration, of every program, open nothing and exit" },
  { name: "default-config", help: "print a starter configuration file and exit" },
  { name: "version", help: "print the version and exit" },
  help,
] as const satisfies readonly Flag[];

export const serverProgram = {
  name: "eventstore-server",
  summary: "Append-only event store over HTTP.",
  flags: [
    config,
    {
      name: "print-config",
      help: "print the settings in effect with their sources and exit; secrets are masked",
    },
    ...common,
  ],
  section: "server",
  verbs: [],
} as const satisfies Program;

const tokenVerb = {
  name: "token",
  summary: "Makes a token for the server, and prints it with the lines for the settings. It changes nothing.",
  arguments: [{ name: "name", required: true }],
  flags: [
    {
      name: "may",
      value: "rights",
      required: true,
      help:
        "what the token may do: read, write, copy, keys, forget, operate, develop, or several with commas in between",
    },
    {
      name: "within",
      value: "name=value",
      repeated: true,
      help: "the token sees and writes only events with this identifier",
    },
    {
      name: "expires",
      value: "time",
      help: "when it expires, as in 2027-01-31T00:00:00Z (never by default)",
    },
    help,
  ],
  keys: [],
} as const satisfies Verb;

const keysFlag = {
  name: "keys",
  value: "path",
  help: "file of keys that eventstore-backup keys wrote, to read encrypted payloads with",
} as const satisfies Flag;

/** The flags that say how a new store gets encrypted payloads. */
const keyFlags = [
  keysFlag,
  { name: "without-keys", help: "leave encrypted payloads unreadable for ever, as if all were forgotten" },
  {
    name: "forgotten",
    value: "path",
    repeated: true,
    help: "a list of forgotten subjects, as GET /subjects/forgotten sends it or as it is next to a backup",
  },
] as const satisfies readonly Flag[];

export const initProgram = {
  name: "eventstore-init",
  summary: "Creates the database of an event store: a file, or a schema in PostgreSQL.",
  flags: [
    config,
    { name: "data-dir", value: "path", help: "directory to create the database in, whatever dataDir says" },
    {
      name: "import",
      value: "path",
      help: "import the events of an exported file (- for standard input)",
    },
    {
      name: "keep-store-id",
      help: "the new store takes the ID and the projections of the one that was exported with --move",
    },
    {
      name: "import-plain",
      value: "path",
      help:
        "import a file of lines like the events of POST /write, with or without a time (- for standard input)",
    },
    ...keyFlags,
    { name: "add-views", help: "add the views for SQL to an existing database that lacks them" },
    {
      name: "add-subjects",
      help: "add the tables of subjects to an existing store in PostgreSQL, if the server may not do that",
    },
    ...common,
  ],
  section: "server",
  keys: ["dataDir", "storage", "postgresUrl", "postgresSchema", "subjects"],
  verbs: [tokenVerb],
} as const satisfies Program;

const verifyVerb = {
  name: "verify",
  summary: "Checks that backups are complete and undamaged.",
  arguments: [storeId],
  flags: [
    config,
    { name: "all", help: "check every backup in dataDir (also the default without a store ID)" },
    { name: "against-source", help: "also compare with the events of the running source" },
    {
      name: "witness",
      value: "path",
      help: "also compare with the roots in this file, which eventstore-client verify wrote",
    },
    keysFlag,
    { name: "json", help: "print one JSON object per backup instead of a line for people" },
    help,
  ],
} as const satisfies Verb;

const listVerb = {
  name: "list",
  summary: "Shows the backups in dataDir.",
  flags: [config, { name: "json", help: "print one JSON object per backup instead of a table" }, help],
  keys: ["dataDir"],
} as const satisfies Verb;

const restoreVerb = {
  name: "restore",
  summary: "Creates a data directory for a server from a backup.",
  arguments: [storeId],
  flags: [
    config,
    { name: "to", value: "path", required: true, help: "data directory to restore into; created if missing" },
    {
      name: "until",
      value: "position",
      help: "restore the events up to this sequence, or before this time, and none that came after it",
    },
    { name: "dry-run", help: "check everything and say what would be done, but change nothing" },
    { name: "force", help: "replace an existing database once the new one is complete" },
    ...keyFlags,
    help,
  ],
  keys: ["dataDir"],
} as const satisfies Verb;

const fromServer = {
  name: "from-server",
  help: "read the store of the stopped server of [server], whether a file or in PostgreSQL",
} as const satisfies Flag;

const exportVerb = {
  name: "export",
  summary: "Writes the events of a backup as JSON lines.",
  arguments: [storeId],
  flags: [
    config,
    { name: "output", value: "path", help: "file to write (default: standard output)" },
    { name: "from", value: "path", help: "data directory of a stopped server to read instead of a backup" },
    fromServer,
    {
      name: "move",
      help:
        "with --from or --from-server: add projections and store ID for --keep-store-id, and let no server start there again",
    },
    help,
  ],
  keys: ["dataDir"],
} as const satisfies Verb;

const metricsFile = {
  name: "metrics-file",
  value: "path",
  help: "metrics file to write, for a scraper of text files",
} as const satisfies Flag;

const keysVerb = {
  name: "keys",
  summary: "Copies the keys of encrypted payloads into a file of their own.",
  flags: [
    config,
    { name: "output", value: "path", required: true, help: "file to write, which only its owner can read" },
    { name: "from", value: "path", help: "data directory of a stopped server to read instead of the source" },
    fromServer,
    {
      name: "forgotten",
      value: "path",
      help: "with --from or --from-server: also write the list of forgotten subjects into this file",
    },
    metricsFile,
    { name: "quiet", help: "print nothing but errors" },
    help,
  ],
} as const satisfies Verb;

export const backupProgram = {
  name: "eventstore-backup",
  summary: "Copies the events of a running server into a separate database.",
  flags: [
    config,
    { name: "quiet", help: "print nothing but errors" },
    { name: "json", help: "print the summary as one line of JSON" },
    metricsFile,
    ...common,
  ],
  section: "backup",
  verbs: [verifyVerb, listVerb, restoreVerb, exportVerb, keysVerb],
} as const satisfies Program;

export const programs: readonly Program[] = [serverProgram, initProgram, backupProgram, clientProgram];
