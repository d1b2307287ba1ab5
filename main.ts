import { loadServerSettings, type ServerSettings } from "./src/config/load.ts";
import { printConfigText } from "./src/config/print.ts";
import { serverProgram } from "./src/config/programs.ts";
import { VERSION } from "./src/config/version.ts";
import type { Edition } from "./src/editions/edition.ts";
import { editions } from "./src/editions/editions.ts";
import { AccessLog } from "./src/http/access_log.ts";
import { LineOutput } from "./src/http/line_output.ts";
import { Refusal } from "./src/model/errors.ts";
import { firstSteps } from "./src/server/first_steps.ts";
import { addressText, type RunningServer, startServer } from "./src/server/start_server.ts";
import { environment, ExitCode, print, printError, runProgram } from "./cli/program.ts";

/** How long certain answers may take to go out after the store has failed. */
const LAST_ANSWERS_MILLISECONDS = 500;

/** How long the last lines of the log may take to go out. */
const LAST_LINES_MILLISECONDS = 500;

await runProgram(serverProgram, async (flags) => {
  const { settings, values, warnings } = loadServerSettings({ configPath: flags.config, env: environment });
  for (const warning of warnings) printError(serverProgram, `warning: ${warning}`);
  if (flags.printConfig) return print(printConfigText(values)), ExitCode.ok;
  if (flags.checkConfig) return print(`${serverProgram.name}: the configuration is fine\n`), ExitCode.ok;
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
    log: new AccessLog(settings.logLevel, output),
    reportFailure: (error) => errors.line(failureText(error)),
    onBroken: (reason) => void endBroken(server, errors, reason),
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
  stopOnSignals(server, output);
  server.listen();
  print(`${name}: listening on ${addressText(settings.listen)} (auth=${auth})\n`);
  if (settings.devMode) print(`${name}: ${firstSteps(edition, settings)}`);
}

/** A refusal says everything in its message; anything else is a bug, and the place helps to find it. */
function failureText(error: Error): string {
  return error instanceof Refusal ? error.message : error.stack ?? error.message;
}

/** The first signal stops the server in order, the second at once. */
function stopOnSignals(server: RunningServer, output: LineOutput): void {
  let stopping = false;
  const stop = async (): Promise<void> => {
    if (stopping) Deno.exit(ExitCode.failure);
    stopping = true;
    const code = await server.stop().then(() => ExitCode.ok, (error: Error) => {
      printError(serverProgram, `the stop failed: ${error.message}`);
      return ExitCode.failure;
    });
    await output.drained(LAST_LINES_MILLISECONDS);
    Deno.exit(code);
  };
  Deno.addSignalListener("SIGTERM", stop);
  Deno.addSignalListener("SIGINT", stop);
}

/** The store can't be trusted with another write: what is certain is answered, the rest is refused. */
async function endBroken(server: RunningServer, errors: LineOutput, reason: string): Promise<void> {
  // First the timer: a standard error that nobody reads must not keep the process alive.
  setTimeout(() => Deno.exit(ExitCode.failure), LAST_ANSWERS_MILLISECONDS);
  errors.line(`the store has failed and needs a restart: ${reason}`);
  await server.stop().catch((error: Error) => errors.line(`the stop failed: ${error.message}`));
}
