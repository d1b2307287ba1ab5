import { ConfigError } from "./src/config/config_error.ts";
import { type Loaded, loadServerSettings, type ServerSettings } from "./src/config/load.ts";
import { listenText } from "./src/config/in_effect.ts";
import { printConfigText } from "./src/config/print.ts";
import { settings as table } from "./src/config/settings.ts";
import { VERSION } from "./src/config/version.ts";
import type { Edition } from "./src/editions/edition.ts";
import { editions } from "./src/editions/editions.ts";
import { LineOutput, lineStart } from "./src/log/line_output.ts";
import { Log } from "./src/log/log.ts";
import { fromRoot } from "./src/files/paths.ts";
import { type Address, addressText } from "./src/model/address.ts";
import { ApiError } from "./src/model/errors.ts";
import { ListenError } from "./src/http/transport/unix_socket.ts";
import { type RunningServer, startServer } from "./src/server/start_server.ts";
import { locationText } from "./src/store/postgres/connection/address.ts";
import type { CommandLine } from "./cli/program.ts";
import { serverProgram } from "./cli/programs.ts";
import { loadForThisMachine } from "./cli/this_machine.ts";
import {
  checkConfig,
  ExitCode,
  loadSettings,
  onFirstSignal,
  print,
  printError,
  type Reloadable,
  runProgram,
} from "./cli/run_program.ts";

/** How long the server waits at its end for the last responses, or the last lines of the log. */
const LAST_WORDS_MILLISECONDS = 500;

if (import.meta.main) await runProgram(serverProgram, run);

/** @returns the exit code, undefined for a running server */
export async function run({ options }: CommandLine<typeof serverProgram>): Promise<number | undefined> {
  if (options.checkConfig) return checkConfig(serverProgram, options.config, loadForThisMachine);
  const loaded = loadSettings(serverProgram, options.config, loadServerSettings);
  if (options.printConfig) return print(printConfigText(loaded)), ExitCode.ok;
  return await serve(loaded, editions[loaded.settings.edition]);
}

/** @returns the exit code of a failed start, undefined for a running server */
async function serve(loaded: Reloadable<ServerSettings>, edition: Edition): Promise<number | undefined> {
  const { settings, file } = loaded;
  const output = lines(settings, Deno.stdout);
  const errors = lines(settings, Deno.stderr);
  const say = (line: string): void =>
    print(`${lineStart(serverProgram.name, settings.logTimestamps)}${line}\n`);
  say(`version ${VERSION}, ${file === undefined ? "no configuration file" : `configuration ${file}`}`);
  try {
    const server = await startServer({
      settings,
      edition,
      log: new Log(settings.logLevel, output, settings.logReasons ? errors : undefined),
      reportFailure: (error) => errors.line(failureText(error)),
      onBroken: (reason) => void endBroken(server, errors, reason),
      onLost: (reason) =>
        errors.line(`writes are rejected until a restart: in ${settings.dataDir}, ${reason}`),
      onRole: (line) => output.line(line),
    });
    say(startFacts(settings, edition, server));
    onFirstSignal(
      (signal) => void stop(server, signal, output, errors),
      settings.tokens && (() => readTokensAgain(server, loaded.reload, output, errors)),
    );
    const listen = await server.listen();
    say(`listening on ${listenText(listen)} (auth=${settings.tokens !== undefined})`);
    if (settings.devMode) say(firstSteps(edition, { ...settings, listen }).trimEnd());
    return undefined;
  } catch (error) {
    await errors.drained(LAST_WORDS_MILLISECONDS);
    // This line is written synchronously, so it appears even on an overloaded machine.
    const reason = (error as Error).message + otherWayToListen(error, loaded);
    printError(serverProgram, reason, settings.logTimestamps);
    return ExitCode.failure;
  }
}

/** Returns the output for the lines that the server writes while it runs. */
function lines(
  { logTimestamps }: ServerSettings,
  to: { write(bytes: Uint8Array): Promise<number> },
): LineOutput {
  return new LineOutput(serverProgram.name, (bytes) => to.write(bytes), logTimestamps);
}

function startFacts(
  settings: ServerSettings,
  edition: Edition,
  { storeId, created, isActive }: RunningServer,
): string {
  return [
    `edition ${settings.edition}`,
    ...isActive ? [] : ["standing by while another server is active"],
    `store ${storeId}${created ? " (new)" : ""}`,
    settings.postgres === undefined ? `data directory ${settings.dataDir}` : locationText(settings.postgres),
    `auth ${settings.tokens === undefined ? "off" : "on"}`,
    ...edition.startFacts?.(settings) ?? [],
  ].join(", ");
}

/** Commands to copy for a first write and a first read, shown in development mode. */
function firstSteps(
  edition: Edition,
  { listen, tokens }: Pick<ServerSettings, "tokens"> & { readonly listen: Address },
): string {
  const socket = listen.transport === "unix" ? ` --unix-socket ${fromRoot(listen.path)}` : "";
  const auth = tokens === undefined ? "" : ` -H "Authorization: Bearer $TOKEN"`;
  const url = listen.transport === "unix" ? "http://localhost" : addressText(listen);
  const commands = edition.firstSteps(`curl${socket}${auth}`, url);
  return `development mode; try a first write and a first read:\n\n${
    commands.map((command) => `  ${command}\n`).join("")
  }`;
}

/**
 * Returns the advice to use TCP. The default socket is in a directory that exists only for a service, and other users
 * may not know of TCP.
 */
function otherWayToListen(error: unknown, { values }: Loaded<ServerSettings>): string {
  const isDefault = values.some(({ key, source }) => key === "socketPath" && source === "default");
  if (!(error instanceof ListenError && error.lacksDirectory) || !isDefault) return "";
  return `, or listen on TCP: ${table.server.port.variable}=${table.server.port.default} ${serverProgram.name}`;
}

/**
 * Returns the text for a failure. The message of a rejection is enough. Any other error is a bug, and needs its stack.
 */
function failureText(error: Error): string {
  return error instanceof ApiError ? error.message : error.stack ?? error.message;
}

/** Reads the tokens again. With a fault in the settings, the server keeps those that it has. */
function readTokensAgain(
  server: RunningServer,
  reload: () => Loaded<ServerSettings>,
  output: LineOutput,
  errors: LineOutput,
): void {
  const keep = (reason: string): void => errors.line(`the tokens stay as they are: ${reason}`);
  try {
    const { tokens } = reload().settings;
    if (tokens === undefined) return keep("enableAuth is off now, which takes effect with a restart");
    server.replaceTokens(tokens);
    output.line(`the tokens were read again: ${tokens.map(({ name = "authToken" }) => name).join(", ")}`);
  } catch (error) {
    for (const problem of error instanceof ConfigError ? error.problems : [String(error)]) keep(problem);
  }
}

/** Stops the server gracefully and ends the process. */
async function stop(
  server: RunningServer,
  signal: Deno.Signal,
  output: LineOutput,
  errors: LineOutput,
): Promise<void> {
  const code = await server.stop().then(() => {
    output.line(`stopped by ${signal}`);
    return ExitCode.ok;
  }, (error: Error) => {
    errors.line(`shutdown failed: ${error.message}`);
    return ExitCode.failure;
  });
  await Promise.all([output, errors].map((lines) => lines.drained(LAST_WORDS_MILLISECONDS)));
  Deno.exit(code);
}

/**
 * Ends a server whose store must not be written any more. Writes with a known outcome get their response, all others
 * are rejected.
 */
async function endBroken(server: RunningServer, errors: LineOutput, reason: string): Promise<void> {
  // The timer is set first: an unread standard error must not keep the process alive.
  setTimeout(() => Deno.exit(ExitCode.failure), LAST_WORDS_MILLISECONDS);
  errors.line(`the store has failed and the server must be restarted: ${reason}`);
  await server.stop().catch((error: Error) => errors.line(`shutdown failed: ${error.message}`));
}
