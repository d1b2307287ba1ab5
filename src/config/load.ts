import { addressText, isLoopback, type TcpAddress, type UnixAddress } from "../model/address.ts";
import { ConfigError } from "./config_error.ts";
import { type ConfigFile, readConfigFile } from "./config_file.ts";
import { type ReadVariable, resolveSection, type SettingValue } from "./resolve.ts";
import { serverProblems, sourceProblems } from "./rules.ts";
import { type Section, sections, type SectionValues, settings, settingsOf } from "./settings.ts";
import { unknownKeyProblems } from "./unknown_keys.ts";

type ServerValues = SectionValues<"server">;
type BackupValues = SectionValues<"backup">;
type ListenKey = "socketPath" | "socketMode" | "bindAddress" | "port";

/** Where the server listens; `mode` holds the permissions of the socket. */
type Listen = (UnixAddress & { readonly mode: number }) | TcpAddress;

/** `[server]`. Sizes are bytes, timeouts and durations seconds. The limits of every edition have a value. */
export interface ServerSettings extends Omit<ServerValues, ListenKey | "enableAuth" | "authToken"> {
  readonly listen: Listen;
  /** Undefined when enableAuth is off. */
  readonly authToken: string | undefined;
}

/** `[backup]`. */
export interface BackupSettings extends Omit<BackupValues, "sourceUrl" | "sourceSocket"> {
  readonly source: UnixAddress | { readonly transport: "tcp"; readonly url: string };
}

export interface Loaded<T> {
  readonly settings: T;
  /** Every setting of the section with its source, in the order of the settings table. */
  readonly values: readonly SettingValue[];
  /** Lines that the program prints before it continues. */
  readonly warnings: readonly string[];
}

/** `configPath` undefined: `config.toml` in the working directory, if it exists. */
export interface LoadFrom {
  readonly configPath: string | undefined;
  readonly env: ReadVariable;
}

/**
 * Reads `[server]`: the file wins over the environment, which wins over the defaults.
 * @throws ConfigError with every problem of the whole file and of the variables
 */
export function loadServerSettings(from: LoadFrom): Loaded<ServerSettings> {
  const { settings, ...loaded } = loadSection("server", from, serverProblems);
  const authToken = settings.enableAuth ? settings.authToken : undefined;
  const resolved: ServerSettings = { ...settings, authToken, listen: listenOn(settings, loaded.values) };
  return { ...loaded, settings: resolved, warnings: [...loaded.warnings, ...exposureWarnings(resolved)] };
}

/** Nobody but the token keeps those out who can reach an address that is not this machine's own. */
function exposureWarnings({ listen, authToken, devMode }: ServerSettings): string[] {
  if (listen.transport === "unix" || authToken !== undefined || isLoopback(listen.hostname)) return [];
  const where = `${addressText(listen)} can be reached by others and enableAuth is off`;
  const what = devMode ? "DELETE EVERYTHING (POST /reset, development mode)" : "read and write everything";
  return [`${where}: they can ${what}`];
}

/**
 * Reads `[backup]` by the same rules; a source named in the file hides both source variables.
 * @throws ConfigError with every problem of the whole file and of the variables
 */
export function loadBackupSettings(from: LoadFrom): Loaded<BackupSettings> {
  const { settings, ...loaded } = loadSection("backup", from, (values) => sourceProblems(values, true));
  const { sourceUrl, sourceSocket, ...rest } = settings;
  const source: BackupSettings["source"] = sourceSocket === undefined
    ? { transport: "tcp", url: sourceUrl! }
    : { transport: "unix", path: sourceSocket };
  return { ...loaded, settings: { ...rest, source } };
}

/**
 * Reads the `dataDir` of `[backup]` alone, for what needs no source.
 * @throws ConfigError as `loadBackupSettings`, but not when there is no source
 */
export function loadBackupDataDir(from: LoadFrom): Loaded<string> {
  const { settings, ...loaded } = loadSection("backup", from, (values) => sourceProblems(values, false));
  return { ...loaded, settings: settings.dataDir };
}

/** Reads a section, if nothing at all is wrong. `problemsOf` checks what must hold between its settings. */
function loadSection<S extends Section>(
  section: S,
  from: LoadFrom,
  problemsOf: (values: readonly SettingValue[]) => string[],
): Loaded<SectionValues<S>> {
  const file = readConfigFile(from.configPath);
  const resolved = resolveSection(section, file, hideSourceVariables(file, from.env));
  const problems = [...unknownKeyProblems(file), ...resolved.problems, ...problemsOf(resolved.values)];
  if (problems.length > 0) throw new ConfigError(problems);
  const settings = Object.fromEntries(resolved.values.map(({ key, value }) => [key, value]));
  return { settings: settings as SectionValues<S>, values: resolved.values, warnings: warningsFor(file) };
}

/** A socket path that is set wins; an address or port that is set switches to TCP; else the default socket. */
function listenOn(values: ServerValues, resolved: readonly SettingValue[]): Listen {
  const isSet = (wanted: ListenKey): boolean =>
    resolved.some(({ key, source }) => key === wanted && source !== "default");
  if (!isSet("socketPath") && (isSet("bindAddress") || isSet("port"))) {
    return { transport: "tcp", hostname: values.bindAddress, port: values.port };
  }
  return { transport: "unix", path: values.socketPath, mode: parseInt(values.socketMode, 8) };
}

/** Otherwise a file that names one source and a variable that names the other would contradict each other. */
function hideSourceVariables(file: ConfigFile, env: ReadVariable): ReadVariable {
  const { sourceUrl, sourceSocket } = settings.backup;
  const inFile = file.section("backup");
  if (!inFile.has("sourceUrl") && !inFile.has("sourceSocket")) return env;
  return (name) => name === sourceUrl.variable || name === sourceSocket.variable ? undefined : env(name);
}

function warningsFor(file: ConfigFile): string[] {
  if (!file.isShared || !holdsToken(file)) return [];
  return [`${file.path}: contains a token, but its group or others may read it (chmod 600 ${file.path})`];
}

function holdsToken(file: ConfigFile): boolean {
  return sections.some((section) =>
    settingsOf(section).some(([key, setting]) =>
      setting.kind === "text" && setting.format === "token" && file.section(section).has(key)
    )
  );
}
