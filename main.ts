import { loadServerSettings, type ServerSettings } from "./src/config/load.ts";
import { printConfigText } from "./src/config/print.ts";
import { VERSION } from "./src/config/version.ts";
import type { Edition } from "./src/editions/edition.ts";
import { editions } from "./src/editions/editions.ts";
import { LineOutput } from "./src/log/line_output.ts";
import { Log } from "./src/log/log.ts";
import { addressText } from "./src/model/address.ts";
import { Refusal } from "./src/model/errors.ts";
import { firstSteps } from "./src/server/first_steps.ts";
import { type RunningServer, startServer } from "./src/server/start_server.ts";
import { serverProgram } from "./cli/programs.ts";
import { ExitCode, loadSettings, onFirstSignal, print, printError, runProgram } from "./cli/run_program.ts";

/** How long the last responses, or the last lines of the log, may take to go out. */
const LAST_WORDS_MILLISECONDS = 500;

await runProgram(serverProgram, async ({ options }) => {
  const { settings, values } = loadSettings(serverProgram, options.config, loadServerSettings);
  if (options.printConfig) return print(printConfigText(values)), ExitCode.ok;
  if (options.checkConfig) return print(`${serverProgram.name}: the configuration is valid\n`), ExitCode.ok;
  await serve(settings, editions[settings.edition]);
  return undefined;
});

async function serve(settings: ServerSettings, edition: Edition): Promise<void> {
  const { name } = serverProgram;
  const output = new LineOutput(name, (bytes) => Deno.stdout.write(bytes));
  const errors = new LineOutput(name, (bytes) => Deno.stderr.write(bytes));
  const auth = settings.authToken !== undefined;
  print(`${name}: version ${VERSION}\n`);
  const server = await startServer({
    settings,
    edition,
    log: new Log(settings.logLevel, output),
    reportFailure: (error) => errors.line(failureText(error)),
    onBroken: (reason) => void endBroken(server, errors, reason),
    onLost: (reason) => errors.line(`writes are refused until a restart: in ${settings.dataDir}, ${reason}`),
  });
  const { storeId, created } = server;
  const facts = [
    `edition ${settings.edition}`,
    `store ${storeId}${created ? " (new)" : ""}`,
    `data directory ${settings.dataDir}`,
    `auth ${auth ? "on" : "off"}`,
    ...edition.startFacts?.(settings) ?? [],
  ];
  print(`${name}: ${facts.join(", ")}\n`);
  onFirstSignal(() => void stop(server, output));
  await server.listen();
  print(`${name}: listening on ${addressText(settings.listen)} (auth=${auth})\n`);
  if (settings.devMode) print(`${name}: ${firstSteps(edition, settings)}`);
}

/** A refusal's message says everything; anything else is a bug, and the stack helps to find it. */
function failureText(error: Error): string {
  return error instanceof Refusal ? error.message : error.stack ?? error.message;
}

/** Stops the server gracefully and ends the process. */
async function stop(server: RunningServer, output: LineOutput): Promise<void> {
  const code = await server.stop().then(() => ExitCode.ok, (error: Error) => {
    printError(serverProgram, `shutdown failed: ${error.message}`);
    return ExitCode.failure;
  });
  await output.drained(LAST_WORDS_MILLISECONDS);
  Deno.exit(code);
}

/** The store cannot be trusted with another write: what is certain gets its response, the rest is refused. */
async function endBroken(server: RunningServer, errors: LineOutput, reason: string): Promise<void> {
  // The timer first: an unread standard error must not keep the process alive.
  setTimeout(() => Deno.exit(ExitCode.failure), LAST_WORDS_MILLISECONDS);
  errors.line(`the store has failed and the server must be restarted: ${reason}`);
  await server.stop().catch((error: Error) => errors.line(`shutdown failed: ${error.message}`));
}
