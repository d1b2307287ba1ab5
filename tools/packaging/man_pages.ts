import { clientProgram } from "../../cli/client_program.ts";
import { argumentsText } from "../../cli/help.ts";
import type { Flag, Meanings, Program, Verb } from "../../cli/program.ts";
import { backupProgram, initProgram, programs, serverProgram } from "../../cli/programs.ts";
import { settingsHelp } from "../../src/config/print.ts";
import { type Section, sections, settingsOf } from "../../src/config/settings.ts";
import { VERSION } from "../../src/config/version.ts";
import {
  BACKUP_DIRECTORY,
  CONFIG_PATH,
  DATA_DIRECTORY,
  KEYS_DIRECTORY,
  SOCKET_PATH,
  TOKENS_PATH,
} from "./paths.ts";
import { bold, entry, example, italic, paragraphs, plain, section, subsection, titleLine } from "./roff.ts";

/** A page as `man` reads it. */
export interface ManPage {
  readonly name: string;
  readonly section: 1 | 5;
  readonly text: string;
}

/** The text of a program's page besides its flags and settings. */
interface Prose {
  readonly description: string;
  readonly files: Meanings;
  readonly example: string;
}

const SERVER: Prose = {
  description: `
Serves an append-only event store over HTTP, on a unix socket unless an address or a port is set. The data
directory and the database are created at the first start.

SIGTERM, SIGINT and SIGHUP stop the server gracefully: waiting writes are rejected, running requests finish within 10
seconds, and the exit status is 0. A second signal ends it at once.

As a service it is started by systemd: systemctl start eventstore-server.`,
  files: [
    [CONFIG_PATH, "the configuration of the service"],
    [
      TOKENS_PATH,
      "variables that hold tokens, read by systemd for the service; absent unless you create it",
    ],
    [DATA_DIRECTORY, "the data directory of the service"],
    [SOCKET_PATH, "the socket of the service"],
  ],
  example: `eventstore-server --config ${CONFIG_PATH} --check-config`,
};

const INIT: Prose = {
  description: `
Creates the data directory and an empty database in it, and prints the path of the database and its store ID.
An existing database is left as it is, and the exit status is 1. The server does the same at its first start,
so this program is needed only to know the store ID beforehand, or to import events.`,
  files: [[CONFIG_PATH, "the configuration of the service"]],
  example: `runuser -u eventstore -- eventstore-init --config ${CONFIG_PATH}`,
};

const BACKUP: Prose = {
  description: `
Without a verb it copies the events that the backup does not have yet from a running server into a separate
database, named after the server's store ID, and prints one line. A server that was reset has a new store ID
and gets a new file alongside the old one. Projections are not copied: they can be rebuilt from the events.

As a service it is started by a timer, once the timer is enabled: systemctl enable --now
eventstore-backup.timer. So are copies of the keys of subjects: eventstore-keys.timer.`,
  files: [
    [CONFIG_PATH, "the configuration of the service"],
    [
      TOKENS_PATH,
      "variables that hold tokens, read by systemd for the service; absent unless you create it",
    ],
    [BACKUP_DIRECTORY, "the backups of the service"],
    [KEYS_DIRECTORY, "the copies of the keys, none older than a week"],
  ],
  example: `runuser -u eventstore -- eventstore-backup verify --config ${CONFIG_PATH}`,
};

const CLIENT: Prose = {
  description: `
Reads and writes the events of a running server, for people at a terminal and for scripts. It works with every
edition and finds out which one the server speaks.

An event matches when it has one of the types that --type names, all tags that --tag names, and all metadata
entries that --meta names. --query says more: any of several such items.

append writes everything or nothing. Flags before --if-none describe the event; those behind it describe events
that must not be there, or none of it is written and the exit status is 3. With --after, only events after that
position count. A sequence belongs to whatever store is there; a line of head --json also names the store, so that
a reset in between is a conflict. Several --if-none must all hold. In editions B and C, append prints no sequences.

Text of others is shown with escapes for everything that a terminal would obey.`,
  files: [[SOCKET_PATH, "the socket of the server when no other is named"]],
  example: `
eventstore-client append --type CourseDefined --tag course=c1 --payload '{"capacity":30}' --if-none --tag course=c1
eventstore-client read --tag course=c1 --follow --json`,
};

const prose = new Map<Program, Prose>([
  [serverProgram, SERVER],
  [initProgram, INIT],
  [backupProgram, BACKUP],
  [clientProgram, CLIENT],
]);

/** The exit codes of programs without codes of their own. */
const EXIT_CODES: Meanings = [
  ["0", "success; for the server: a signal stopped it"],
  ["1", "it failed; standard error says why"],
  ["2", "a bad flag or configuration, one line per problem; trying again will not help"],
];

/** Every page of the package. */
export function manPages(): ManPage[] {
  const pages = programs.map((program): ManPage => (
    { name: program.name, section: 1, text: programPage(program, prose.get(program)!) }
  ));
  return [...pages, { name: "eventstore.toml", section: 5, text: configurationPage() }];
}

function programPage(program: Program, { description, files, example: line }: Prose): string {
  const { name, summary, flags, verbs } = program;
  return titleLine(name, 1, VERSION) +
    section("NAME", `${plain(name)} \\- ${plain(uncapitalized(summary))}\n`) +
    section("SYNOPSIS", ...usages(program).map((usage) => `${usage}\n.br\n`)) +
    section("DESCRIPTION", paragraphs(description)) +
    section("OPTIONS", ...flags.map(flagEntry)) +
    (verbs.length === 0 ? "" : section(
      "VERBS",
      ...verbs.map((verb) =>
        subsection(
          verb.name + argumentsText(verb),
          paragraphs(verb.summary),
          ...verb.flags.map(flagEntry),
          ...groupEntries(verb),
        )
      ),
    )) +
    configuration(program) +
    section("EXIT STATUS", ...entries(bold, program.exitCodes ?? EXIT_CODES)) +
    section("FILES", ...entries(italic, files)) +
    section("EXAMPLE", example(line)) +
    section("SEE ALSO", seeAlso(name));
}

function entries(font: (text: string) => string, meanings: Meanings): string[] {
  return meanings.map(([name, meaning]) => entry(font(name), meaning));
}

function usages({ name, verbs, needsVerb }: Program): string[] {
  const flags = `[${italic("flags")}]`;
  return [
    ...(needsVerb ? [] : [`${bold(name)} ${flags}`]),
    ...verbs.map((verb) => {
      const group = verb.group === undefined ? "" : ` [${bold(`--${verb.group.begin.name}`)} ${flags}]...`;
      return `${bold(`${name} ${verb.name}`)}${italic(argumentsText(verb))} ${flags}${group}`;
    }),
  ];
}

/** The flag that begins a group, and the flags that may follow it. */
function groupEntries({ group }: Verb): string[] {
  if (group === undefined) return [];
  return [
    flagEntry(group.begin),
    paragraphs(`Flags behind --${group.begin.name}; another --${group.begin.name} begins anew:`),
    ...group.flags.map(flagEntry),
  ];
}

/** The settings that a program reads, or its variables if it has no settings. */
function configuration({ section: name, keys, variables = [] }: Program): string {
  if (name === undefined) return section("ENVIRONMENT", ...entries(bold, variables));
  const read = keys === undefined ? "every setting" : keys.join(", ");
  const text = `Reads ${read} in [${name}] of the configuration; see eventstore.toml(5).`;
  return section("CONFIGURATION", paragraphs(text));
}

function flagEntry({ name, value, required, help }: Flag): string {
  const term = bold(`--${name}`) + (value === undefined ? "" : ` ${italic(value)}`);
  return entry(term, help + (required === true ? " (required)" : ""));
}

function seeAlso(name: string): string {
  const others = programs.filter((program) => program.name !== name).map((program) => `${program.name}(1)`);
  return paragraphs([...others, ...(name === "eventstore.toml" ? [] : ["eventstore.toml(5)"])].join(", "));
}

function configurationPage(): string {
  return titleLine("eventstore.toml", 5, VERSION) +
    section(
      "NAME",
      `${plain("eventstore.toml")} \\- ${plain("configuration of the eventstore programs")}\n`,
    ) +
    section("SYNOPSIS", `${italic(CONFIG_PATH)}\n`) +
    section(
      "DESCRIPTION",
      paragraphs(`
A TOML file with the sections [server], which eventstore-server and eventstore-init read, and [backup], which
eventstore-backup reads. The flag --config names it; the default is config.toml in the working directory, which
need not exist.

A value in the file wins over the environment variable, which wins over the default. An unknown key or section,
and a key outside any section, stop every program with exit status 2.`),
    ) +
    sections.map((name) => section(`[${name}]`, ...settingsOf(name).map(([key]) => keyEntry(name, key))))
      .join("") +
    section("SEE ALSO", seeAlso("eventstore.toml"));
}

/** The entry of a setting, from its three lines in `--help`: key, meaning, facts. */
function keyEntry(name: Section, key: string): string {
  const [, ...lines] = settingsHelp(name, [key]).trim().split("\n").map((line) => line.trim());
  return entry(bold(key), ...lines);
}

function uncapitalized(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, "");
}
