import type { ShellContext } from "../src/shell/context.ts";
import { exitCodeOf, messageOf, ShellExit } from "../src/shell/ends.ts";
import { printable } from "../src/shell/output/printable.ts";
import { addressOf } from "../src/shell/server_address.ts";
import { append } from "../src/shell/verbs/append.ts";
import { stats } from "../src/shell/verbs/catalog.ts";
import { consumers } from "../src/shell/verbs/consumers.ts";
import { exportEvents } from "../src/shell/verbs/export.ts";
import { head } from "../src/shell/verbs/head.ts";
import { health } from "../src/shell/verbs/health.ts";
import { projection } from "../src/shell/verbs/projection.ts";
import { read } from "../src/shell/verbs/read.ts";
import { forget, subject } from "../src/shell/verbs/subject.ts";
import { types } from "../src/shell/verbs/types.ts";
import { verify } from "../src/shell/verbs/verify.ts";
import { whoami } from "../src/shell/verbs/whoami.ts";
import { clientProgram } from "./client_program.ts";
import { bashCompletion } from "./completions/bash.ts";
import { fishCompletion } from "./completions/fish.ts";
import { zshCompletion } from "./completions/zsh.ts";
import { explore } from "./explore.ts";
import type { CommandLine, Program } from "./program.ts";
import { onFirstSignal, printAsync, printError, runProgram } from "./run_program.ts";

type Line = CommandLine<typeof clientProgram>;
type ServerLine = Exclude<Line, { readonly verb: undefined | "completions" }>;

const COMPLETIONS: Readonly<Record<string, (program: Program) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

if (import.meta.main) await runProgram(clientProgram, run);

/** @returns the exit code */
export async function run(line: Line): Promise<number> {
  let serverName: string | undefined;
  try {
    if (line.verb === undefined) return ShellExit.ok;
    if (line.verb === "completions") {
      await printAsync(COMPLETIONS[line.arguments[0]!]!(clientProgram));
      return ShellExit.ok;
    }
    const context = contextFor(line);
    serverName = context.place.name;
    return await runVerb(context, line);
  } catch (error) {
    const message = messageOf(error, serverName);
    if (message !== undefined) report(message);
    return exitCodeOf(error);
  }
}

function runVerb(context: ShellContext, line: ServerLine): Promise<number> {
  switch (line.verb) {
    case "read":
      return read(context, line.arguments, line.options);
    case "append":
      return append(context, line.arguments, line.options, line.groups);
    case "head":
      return head(context, line.options);
    case "types":
      return types(context, line.arguments, line.options);
    case "stats":
      return stats(context, line.options);
    case "export":
      return exportEvents(context, line.options);
    case "projection":
      return projection(context, line.arguments, line.options);
    case "consumers":
      return consumers(context, line.arguments, line.options);
    case "subject":
      return subject(context, line.arguments);
    case "forget":
      return forget(context, line.arguments, line.options);
    case "health":
      return health(context, line.options);
    case "whoami":
      return whoami(context, line.options);
    case "verify":
      return verify(context, line.options);
    case "explore":
      return explore(context, line.options);
  }
}

function contextFor({ options }: ServerLine): ShellContext {
  return {
    place: addressOf(options, (name) => Deno.env.get(name), report),
    print: printAsync,
    printError: report,
    // A terminal that does not know its size reports 0.
    columns: () => Deno.stdout.isTerminal() ? Deno.consoleSize().columns || Infinity : undefined,
    stopOnSignal() {
      const stop = new AbortController();
      onFirstSignal((signal) => stop.abort(new Error(`stopped by ${signal}`)));
      return stop.signal;
    },
  };
}

/** Prints a line to standard error, with control characters escaped: a message may repeat other clients' texts. */
function report(line: string): void {
  printError(clientProgram, printable(line));
}
