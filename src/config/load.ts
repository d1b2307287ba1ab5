import { ConfigError } from "./config_error.ts";
import { type ConfigFile, readConfigFile } from "./config_file.ts";
import { type ReadVariable, type Resolved, resolveSection, type SettingValue } from "./resolve.ts";
import { serverProblems, sourceProblems } from "./rules.ts";
import { sections, type SectionValues, settings, settingsOf } from "./settings.ts";
import { unknownKeyProblems } from "./unknown_keys.ts";

export { ConfigError } from "./config_error.ts";
export type { ReadVariable, SettingValue } from "./resolve.ts";

type ServerValues = SectionValues<"server">;
type BackupValues = SectionValues<"backup">;
type ListenKey = "socketPath" | "socketMode" | "bindAddress" | "port";

/** Where the server listens; `mode` holds the permissions of the socket. */
export type Listen =
  | { readonly transport: "unix"; readonly path: string; readonly mode: number }
  | { readonly transport: "tcp"; readonly hostname: string; readonly port: number };

/** `[server]`. Sizes are bytes, timeouts and durations seconds. The limits of every edition have a value. */
export interface ServerSettings extends Omit<ServerValues, ListenKey | "enableAuth" | "authToken"> {
  readonly listen: Listen;
  /** Undefined when enableAuth is off. */
  readonly authToken: string | undefined;
}

/** `[backup]`. */
export interface BackupSettings extends Omit<BackupValues, "sourceUrl" | "sourceSocket"> {
  readonly source:
    | { readonly transport: "unix"; readonly path: string }
    | { readonly transport: "tcp"; readonly url: string };
}

export interface Loaded<T> {
  readonly settings: T;
  /** Every setting of the section with its source, in the order of the settings table. */
  readonly values: readonly SettingValue[];
  /** Lines that the program shows before it goes on. */
  readonly warnings: readonly string[];
}

/** `configPath` undefined: `config.toml` in the working directory, if it is there. */
export interface LoadFrom {
  readonly configPath: string | undefined;
  readonly env: ReadVariable;
}

/**
 * Reads `[server]`: the file wins over the environment, which wins over the defaults.
 * @throws ConfigError with every problem of the whole file and of the variables
 */
export function loadServerSettings(from: LoadFrom): Loaded<ServerSettings> {
  const file = readConfigFile(from.configPath);
  const resolved = resolveSection("server", file, from.env);
  const values = accept<ServerValues>(file, resolved, serverProblems(resolved.values));
  const loaded = {
    ...values,
    authToken: values.enableAuth ? values.authToken : undefined,
    listen: listenOn(values, resolved.values),
  };
  return { settings: loaded, values: resolved.values, warnings: warningsFor(file) };
}

/**
 * Reads `[backup]` by the same rules; a source named in the file hides both source variables.
 * @throws ConfigError with every problem of the whole file and of the variables
 */
export function loadBackupSettings(from: LoadFrom): Loaded<BackupSettings> {
  const { settings, ...loaded } = loadBackupSection(from, true);
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
  const { settings, ...loaded } = loadBackupSection(from, false);
  return { ...loaded, settings: settings.dataDir };
}

function loadBackupSection(from: LoadFrom, needsSource: boolean): Loaded<BackupValues> {
  const file = readConfigFile(from.configPath);
  const resolved = resolveSection("backup", file, hideSourceVariables(file, from.env));
  const settings = accept<BackupValues>(file, resolved, sourceProblems(resolved.values, needsSource));
  return { settings, values: resolved.values, warnings: warningsFor(file) };
}

/** The values by key once nothing at all is wrong. */
function accept<Values>(
  file: ConfigFile | undefined,
  resolved: Resolved,
  sectionProblems: readonly string[],
): Values {
  const unknown = file === undefined ? [] : unknownKeyProblems(file);
  const problems = [...unknown, ...resolved.problems, ...sectionProblems];
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.fromEntries(resolved.values.map(({ key, value }) => [key, value])) as Values;
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
function hideSourceVariables(file: ConfigFile | undefined, env: ReadVariable): ReadVariable {
  const { sourceUrl, sourceSocket } = settings.backup;
  const inFile = file?.section("backup") ?? {};
  if (inFile["sourceUrl"] === undefined && inFile["sourceSocket"] === undefined) return env;
  return (name) => name === sourceUrl.variable || name === sourceSocket.variable ? undefined : env(name);
}

function warningsFor(file: ConfigFile | undefined): string[] {
  if (file === undefined || !file.isShared || !holdsToken(file)) return [];
  return [`${file.path}: holds a token, but group or others may read the file (chmod 600 ${file.path})`];
}

function holdsToken(file: ConfigFile): boolean {
  return sections.some((section) =>
    settingsOf(section).some(([key, setting]) =>
      setting.kind === "text" && setting.format === "token" && file.section(section)[key] !== undefined
    )
  );
}
