import { settings } from "../src/config/settings.ts";
import { help, json, server } from "./client_flags.ts";
import { consumersVerb } from "./consumers_verb.ts";
import type { Argument, Program, Verb } from "./program.ts";
import { limit, meta, query, stored, tag, type } from "./query_flags.ts";

const readVerb = {
  name: "read",
  summary: "Shows events, oldest first, as a table.",
  arguments: [{ name: "name=value", repeated: true }],
  flags: [
    ...stored,
    { name: "backwards", help: "the newest events first" },
    limit,
    { name: "follow", help: "wait for new events and show them too, until a signal ends it" },
    json("print each event as one line of JSON, as the server sends it"),
    ...server,
  ],
} as const satisfies Verb;

const appendVerb = {
  name: "append",
  summary:
    "Writes the event that flags describe, or those of a file (- is standard input), and prints their sequences.",
  arguments: [{ name: "file" }],
  flags: [
    { name: "type", value: "type", help: "the type of the event" },
    { name: "tag", value: "name=value", repeated: true, help: "an identifier of the event" },
    { name: "meta", value: "name=value", repeated: true, help: "a metadata entry of the event" },
    { name: "payload", value: "json", help: "the payload of the event, which must be JSON" },
    {
      name: "text",
      value: "text",
      mayBeEmpty: true,
      help: "the payload, stored as it is, instead of --payload",
    },
    {
      name: "batch",
      value: "number",
      help: "write a file in parts of so many events, instead of all of it or nothing",
    },
    json("print sequence, time and store ID of each event as one line of JSON"),
    ...server,
  ],
  group: {
    begin: { name: "if-none", help: "write only if no event matches what the flags behind it ask for" },
    flags: [
      type,
      tag,
      meta,
      query,
      {
        name: "after",
        value: "position",
        help: "only events after this sequence count, or after this line of head --json",
      },
    ],
  },
} as const satisfies Verb;

const headVerb = {
  name: "head",
  summary: "Prints the sequence of the last event, 0 when there is none.",
  flags: [json("print store ID and sequence as one line of JSON, for --after"), ...server],
} as const satisfies Verb;

const typesVerb = {
  name: "types",
  summary:
    "Prints the types of events with their counts, the most frequent first, and on request the fields of payloads.",
  arguments: [{ name: "name=value", repeated: true }],
  flags: [
    {
      name: "fields",
      help: "also print the fields of their payloads, which means to read all of these events",
    },
    ...stored,
    limit,
    json("print each type as one line of JSON"),
    ...server,
  ],
} as const satisfies Verb;

const statsVerb = {
  name: "stats",
  summary: "Prints how many events there are, and how many have an identifier of each name.",
  flags: [json("print the catalog as one line of JSON, as the server sends it"), ...server],
} as const satisfies Verb;

const exportVerb = {
  name: "export",
  summary: "Writes the events that a directory does not have yet to Parquet files, for a warehouse.",
  flags: [
    { name: "parquet", value: "path", required: true, help: "directory of the files; created if missing" },
    json("print each file as one line of JSON"),
    ...server,
  ],
} as const satisfies Verb;

const projectionVerb = {
  name: "projection",
  summary: "Prints a projection, or deletes one, those of a type, or all.",
  arguments: [
    { name: "what", required: true, choices: ["get", "delete"] },
    { name: "type" },
    { name: "id" },
  ],
  flags: [
    { name: "if-version", value: "version", help: "delete it only if it still has this version" },
    { name: "all", help: "delete all projections of the type, or without a type all of them" },
    json("print type, id, version and payload as one line of JSON"),
    ...server,
  ],
} as const satisfies Verb;

const subjectArgument = { name: "name=value", required: true } as const satisfies Argument;

const forgetVerb = {
  name: "forget",
  summary: "Makes the payloads of a person's events unreadable, for good, and says so. It asks nothing.",
  arguments: [subjectArgument],
  flags: [
    {
      name: "event",
      value: "json",
      repeated: true,
      help: "an event that is written in the same turn, as a line of a file of append",
    },
    json("print the answer of the server"),
    ...server,
  ],
} as const satisfies Verb;

const subjectVerb = {
  name: "subject",
  summary: "Prints all events of a person, each as one line of JSON.",
  arguments: [subjectArgument],
  flags: server,
} as const satisfies Verb;

const healthVerb = {
  name: "health",
  summary: "Asks whether the server is well and its writes succeed.",
  flags: [json("print the answer of the server"), ...server],
} as const satisfies Verb;

const whoamiVerb = {
  name: "whoami",
  summary: "Prints what the token may do.",
  flags: [json("print the answer of the server"), ...server],
} as const satisfies Verb;

const verifyVerb = {
  name: "verify",
  summary: "Checks that no stored event has changed, without trusting the server: docs/proofs.md.",
  flags: [
    { name: "sequence", value: "number", help: "check only that this event belongs to the root" },
    {
      name: "continues",
      value: "root@head",
      help: "check that the store still begins with the events of this root",
    },
    {
      name: "witness",
      value: "file",
      help: "check that the store continues the last root in this file, then append the present one",
    },
    { name: "whole", help: "with --continues or --witness: also read and check every event" },
    json("print store ID, head and root as one line of JSON"),
    ...server,
  ],
} as const satisfies Verb;

const exploreVerb = {
  name: "explore",
  summary: "Serves a page that shows the store to a browser on this machine, until a signal ends it.",
  flags: [
    { name: "port", value: "number", help: "port of the page on 127.0.0.1; any that is free by default" },
    { name: "open", help: "open the page in a browser" },
    { name: "allow-writes", help: "let the page write, but not reset the store" },
    ...server,
  ],
} as const satisfies Verb;

/** The shells with completions. */
const SHELLS = ["bash", "zsh", "fish"] as const;

const completionsVerb = {
  name: "completions",
  summary: "Prints what makes a shell complete verbs and flags.",
  arguments: [{ name: "shell", required: true, choices: SHELLS }] satisfies readonly Argument[],
  flags: [help],
} as const satisfies Verb;

export const clientProgram = {
  name: "eventstore-client",
  summary: "Reads and writes the events of a running server.",
  flags: [{ name: "version", help: "print the version and exit" }, help],
  verbs: [
    readVerb,
    appendVerb,
    headVerb,
    typesVerb,
    statsVerb,
    exportVerb,
    projectionVerb,
    consumersVerb,
    subjectVerb,
    forgetVerb,
    healthVerb,
    whoamiVerb,
    verifyVerb,
    exploreVerb,
    completionsVerb,
  ],
  needsVerb: true,
  variables: [
    ["EVENTSTORE_URL", "the server, when neither --url nor --socket is given"],
    [
      "EVENTSTORE_SOCKET",
      `its unix socket, instead of EVENTSTORE_URL; default ${settings.server.socketPath.default}`,
    ],
    ["EVENTSTORE_TOKEN", "the bearer token, when --token-file is not given"],
    ["EVENTSTORE_TOKEN_FILE", "a file that holds it, instead of EVENTSTORE_TOKEN"],
    [
      "EVENTSTORE_CA_FILE",
      "certificates (PEM) of the authority of an https:// server, when --ca-file is not given",
    ],
  ],
  exitCodes: [
    ["0", "done; also when a signal ended read --follow, or the reader of the output disconnected"],
    ["1", "it failed; standard error says why"],
    ["2", "a flag, an argument or an event is wrong: nothing was written, and trying again will not help"],
    ["3", "conflict: a condition or a version does not hold, or the store was reset; nothing was written"],
    ["4", "there is no such projection, consumer, parked event or person"],
    ["5", "the server cannot be reached, or cannot do it now; nothing was written: try again later"],
    ["6", "the answer to a write was lost, or came from a proxy: it may or may not have happened"],
    ["7", "the token is missing or wrong, or the server does not allow it"],
    [
      "8",
      "verify: an event or a key has changed, or the store does not continue an earlier root",
    ],
    ["9", "health: the server answers, but writes fail; standard error says why"],
  ],
} as const satisfies Program;
