import { fromRoot } from "../files/paths.ts";
import { addressText, isLoopback, type TcpAddress, type UnixAddress } from "../model/address.ts";
import { ConfigError } from "./config_error.ts";
import { type ConfigFile, readConfigFile } from "./config_file.ts";
import { listensOnTcp } from "./in_effect.ts";
import { parsePostgresUrl, type PostgresAddress } from "./postgres_url.ts";
import type { FailoverName } from "./setting.ts";
import { type ReadVariable, resolveSection, type SettingValue } from "./resolve.ts";
import { contradictions } from "./rules.ts";
import { type Section, sections, type SectionValues, settings } from "./settings.ts";
import { unknownKeyProblems } from "./unknown_keys.ts";
import {
  overriddenWarnings,
  secretFileWarnings,
  unknownVariableWarnings,
  uselessWarnings,
} from "./warnings.ts";

type ServerValues = SectionValues<"server">;
type BackupValues = SectionValues<"backup">;
type ListenKey = "socketPath" | "socketMode" | "bindAddress" | "port";
type PostgresKey =
  | "storage"
  | "postgresUrl"
  | "postgresReadUrl"
  | "postgresSchema"
  | "postgresPoolSize"
  | "postgresFailover";

/** Where the server listens; `mode` holds the permissions of the socket. */
type Listen = (UnixAddress & { readonly mode: number }) | TcpAddress;

/**
 * `[server]`. Sizes are bytes, timeouts and durations seconds. The limits of every edition have a value. `dataDir` is a
 * path from the root, so that messages which name it are clear wherever they are read; so it is in `[backup]`.
 */
export interface ServerSettings
  extends Omit<ServerValues, ListenKey | PostgresKey | "enableAuth" | "authToken"> {
  readonly listen: Listen;
  /** Undefined when the storage is SQLite. */
  readonly postgres: PostgresSettings | undefined;
  /** Undefined when enableAuth is off. */
  readonly authToken: string | undefined;
}

export interface PostgresSettings {
  readonly address: PostgresAddress;
  /** Replicas to read from, if there are any. */
  readonly readAddress: PostgresAddress | undefined;
  readonly schema: string;
  /** Connections for reads. */
  readonly poolSize: number;
  readonly failover: FailoverName;
}

/** `[backup]`. */
export interface BackupSettings extends Omit<BackupValues, "sourceUrl" | "sourceSocket"> {
  readonly source: UnixAddress | { readonly transport: "tcp"; readonly url: string };
}

export interface Loaded<T> {
  readonly settings: T;
  /** The configuration file that was read, as a path from the root; undefined when there is none. */
  readonly file: string | undefined;
  /** Every setting of the section with its source, in the order of the settings table. */
  readonly values: readonly SettingValue[];
  /** Lines that the program prints before it continues. */
  readonly warnings: readonly string[];
}

/** `configPath` undefined: `config.toml` in the working directory, if it exists. */
export interface LoadFrom {
  readonly configPath: string | undefined;
  readonly env: ReadVariable;
  /** The names of all variables that are set, to warn of those that look like a setting and are none. */
  readonly variables?: readonly string[];
  /** Whether to check more than the program needs: the section of the others, and what is set for nothing. */
  readonly isWhole?: boolean;
}

/**
 * Reads `[server]`: the file wins over the environment, which wins over the defaults.
 * @throws ConfigError with every problem of the whole file and of the variables
 */
export function loadServerSettings(from: LoadFrom): Loaded<ServerSettings> {
  const { settings, ...loaded } = loadSection("server", from, true);
  const authToken = settings.enableAuth ? settings.authToken : undefined;
  const listen = listenOn(settings, loaded.values);
  const resolved: ServerSettings = {
    ...settings,
    authToken,
    listen,
    dataDir: fromRoot(settings.dataDir),
    postgres: postgresIn(settings),
  };
  return { ...loaded, settings: resolved, warnings: [...loaded.warnings, ...exposureWarnings(resolved)] };
}

function postgresIn(
  {
    storage,
    postgresUrl,
    postgresReadUrl,
    postgresSchema: schema,
    postgresPoolSize: poolSize,
    postgresFailover: failover,
  }: ServerValues,
): PostgresSettings | undefined {
  if (storage === "sqlite") return undefined;
  const address = parsePostgresUrl(postgresUrl!) as PostgresAddress;
  const readAddress = postgresReadUrl === undefined
    ? undefined
    : parsePostgresUrl(postgresReadUrl) as PostgresAddress;
  return { address, readAddress, schema, poolSize, failover };
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
  const { settings, ...loaded } = loadSection("backup", from, true);
  const { sourceUrl, sourceSocket, ...rest } = settings;
  const source: BackupSettings["source"] = sourceSocket === undefined
    ? { transport: "tcp", url: sourceUrl! }
    : { transport: "unix", path: sourceSocket };
  return { ...loaded, settings: { ...rest, source, dataDir: fromRoot(settings.dataDir) } };
}

/**
 * Reads the `dataDir` of `[backup]` alone, for what needs no source.
 * @throws ConfigError as `loadBackupSettings`, but not when there is no source
 */
export function loadBackupDataDir(from: LoadFrom): Loaded<string> {
  const { settings, ...loaded } = loadSection("backup", from, false);
  return { ...loaded, settings: fromRoot(settings.dataDir) };
}

/** Reads a section, if nothing at all is wrong. @param isOwn see `contradictions` */
function loadSection<S extends Section>(
  section: S,
  from: LoadFrom,
  isOwn: boolean,
): Loaded<SectionValues<S>> {
  const file = readConfigFile(from.configPath);
  const env = hideSourceVariables(file, from.env);
  const isRead = (name: Section): boolean => name === section || from.isWhole === true;
  const read = sections.filter(isRead).map((name) => ({ name, ...resolveSection(name, file, env) }));
  const problems = [
    ...unknownKeyProblems(file),
    ...read.flatMap(({ problems }) => problems),
    ...read.flatMap(({ name, values }) => contradictions(name, values, isOwn && name === section)),
  ];
  const unknownVariables = unknownVariableWarnings(from.variables ?? []);
  // One that is misspelt may be why something is missing.
  if (problems.length > 0) throw new ConfigError([...problems, ...unknownVariables]);
  const warnings = [
    ...unknownVariables,
    ...read.flatMap(({ name, values }) => overriddenWarnings(name, values, from.env)),
    ...secretFileWarnings(file),
    // What is useless is allowed, so only a check of everything speaks of it.
    ...from.isWhole === true ? uselessWarnings(read.find(({ name }) => name === "server")!.values) : [],
  ];
  const { values } = read.find(({ name }) => name === section)!;
  const settings = Object.fromEntries(values.map(({ key, value }) => [key, value])) as SectionValues<S>;
  return { settings, file: file.exists ? file.path : undefined, values, warnings };
}

function listenOn(values: ServerValues, resolved: readonly SettingValue[]): Listen {
  if (listensOnTcp(resolved)) {
    return { transport: "tcp", hostname: values.bindAddress.replace(/^\[(.*)\]$/, "$1"), port: values.port };
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
