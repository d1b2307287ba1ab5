import { fromRoot } from "../files/paths.ts";
import { addressText, isLoopback, type TcpAddress, type UnixAddress } from "../model/address.ts";
import { ConfigError } from "./config_error.ts";
import { type ConfigFile, readConfigFile } from "./config_file.ts";
import { masterKeysOf } from "./given_master_keys.ts";
import { listensOnTcp } from "./in_effect.ts";
import { parsePostgresUrl, type PostgresAddress } from "./postgres_url.ts";
import type { FailoverName } from "./setting.ts";
import { type ReadVariable, resolveSection, type SettingValue } from "./resolve.ts";
import { contradictions, type Needed } from "./rules.ts";
import { type Section, sections, type SectionValues, settings } from "./settings.ts";
import { allTokens, type TokenSetting } from "./tokens.ts";
import { unknownKeyProblems } from "./unknown_keys.ts";
import {
  overriddenWarnings,
  secretFileWarnings,
  unknownVariableWarnings,
  uselessWarnings,
} from "./warnings.ts";

type ServerValues = SectionValues<"server">;
type BackupValues = SectionValues<"backup">;
type MasterKeyKey = "masterKeyFile" | "masterKey";
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
 * `[server]`. Sizes are bytes, timeouts and durations seconds. The limits of every edition have a value. `dataDir` is
 * an absolute path, here and in `[backup]`, so that messages which name it are clear wherever they are read.
 */
export interface ServerSettings
  extends Omit<ServerValues, ListenKey | PostgresKey | "enableAuth" | "authToken" | MasterKeyKey> {
  readonly listen: Listen;
  /** Undefined when the storage is SQLite. */
  readonly postgres: PostgresSettings | undefined;
  /** Undefined when enableAuth is off, or when there are other tokens only. */
  readonly authToken: string | undefined;
  /** Those that wrap the keys of subjects, in Base64; the first one wraps, the others unwrap. */
  readonly masterKeys: readonly string[];
  /** The valid tokens, `authToken` among them; undefined when enableAuth is off. */
  readonly tokens: readonly TokenSetting[] | undefined;
}

export interface PostgresSettings {
  readonly address: PostgresAddress;
  /** Replicas that serve reads, if there are any. */
  readonly readAddress: PostgresAddress | undefined;
  readonly schema: string;
  /** Connections for reads. */
  readonly poolSize: number;
  readonly failover: FailoverName;
}

/** `[backup]`. */
export interface BackupSettings extends Omit<BackupValues, "sourceUrl" | "sourceSocket" | "sourceCaFile"> {
  readonly source: UnixAddress | {
    readonly transport: "tcp";
    readonly url: string;
    readonly caFile?: string;
  };
}

export interface Loaded<T> {
  readonly settings: T;
  /** The absolute path of the configuration file that was read; undefined when there is none. */
  readonly file: string | undefined;
  /** Every setting of the section with its source, in the order of the settings table. */
  readonly values: readonly SettingValue[];
  /** The tokens under `[[tokens]]` in that file. */
  readonly fileTokens: readonly TokenSetting[];
  /** Lines that the program prints before it continues. */
  readonly warnings: readonly string[];
}

/** `configPath` undefined: `config.toml` in the working directory, if it exists. */
export interface LoadFrom {
  readonly configPath: string | undefined;
  readonly env: ReadVariable;
  /** The names of all variables that are set. A name that looks like a setting but is none gets a warning. */
  readonly variables?: readonly string[];
  /** True to check more than the program needs: the sections of other programs, and settings without effect. */
  readonly isWhole?: boolean;
}

/**
 * Reads `[server]`: the file wins over the environment, which wins over the defaults.
 * @throws ConfigError with every problem of the whole file and of the variables
 */
export function loadServerSettings(from: LoadFrom): Loaded<ServerSettings> {
  const { settings, tokens, masterKeys, ...loaded } = loadSection("server", from, "all");
  const authToken = settings.enableAuth ? settings.authToken : undefined;
  const listen = listenOn(settings, loaded.values);
  const resolved: ServerSettings = {
    ...settings,
    authToken,
    tokens: settings.enableAuth ? tokens : undefined,
    masterKeys,
    listen,
    dataDir: fromRoot(settings.dataDir),
    postgres: postgresIn(settings),
  };
  return { ...loaded, settings: resolved, warnings: [...loaded.warnings, ...exposureWarnings(resolved)] };
}

/** Where `[server]` puts the store, and whose payloads are encrypted there. */
export type StorePlace = Pick<ServerSettings, "dataDir" | "postgres" | "subjects">;

/**
 * Reads only where the store is, for the init program. The server's token may be in a variable that only the server has.
 * @throws ConfigError as `loadServerSettings`
 */
export function loadStorePlace(from: LoadFrom): Loaded<StorePlace> {
  const { settings, ...loaded } = loadSection("server", from, "store");
  return { ...loaded, settings: placeIn(settings) };
}

/** Does the same with the master keys, for a copy of the keys of a stopped store. */
export function loadStoreWithKeys(from: LoadFrom): Loaded<StorePlace & Pick<ServerSettings, "masterKeys">> {
  const { settings, masterKeys, ...loaded } = loadSection("server", from, "store", true);
  return { ...loaded, settings: { ...placeIn(settings), masterKeys } };
}

function placeIn(settings: ServerValues): StorePlace {
  const { dataDir, subjects } = settings;
  return { dataDir: fromRoot(dataDir), postgres: postgresIn(settings), subjects };
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

/** Warns when the server listens on an address that other machines can reach. Only a token keeps their clients out. */
function exposureWarnings({ listen, tokens, devMode }: ServerSettings): string[] {
  if (listen.transport === "unix" || tokens !== undefined || isLoopback(listen.hostname)) return [];
  const where = `${addressText(listen)} can be reached by others and enableAuth is off`;
  const what = devMode ? "DELETE EVERYTHING (POST /reset, development mode)" : "read and write everything";
  return [`${where}: they can ${what}`];
}

/**
 * Reads `[backup]` by the same rules. A source named in the file hides the variables of both sources.
 * @throws ConfigError with every problem of the whole file and of the variables
 */
export function loadBackupSettings(from: LoadFrom): Loaded<BackupSettings> {
  const { settings, ...loaded } = loadSection("backup", from, "all");
  const { sourceUrl, sourceSocket, sourceCaFile: caFile, ...rest } = settings;
  const source: BackupSettings["source"] = sourceSocket === undefined
    ? { transport: "tcp", url: sourceUrl!, ...caFile === undefined ? {} : { caFile: fromRoot(caFile) } }
    : { transport: "unix", path: sourceSocket };
  return { ...loaded, settings: { ...rest, source, dataDir: fromRoot(settings.dataDir) } };
}

/**
 * Reads only the `dataDir` of `[backup]`, for verbs that need no source.
 * @throws ConfigError as `loadBackupSettings`, but not when there is no source
 */
export function loadBackupDataDir(from: LoadFrom): Loaded<string> {
  const { settings, ...loaded } = loadSection("backup", from, "none");
  return { ...loaded, settings: fromRoot(settings.dataDir) };
}

/** Reads a section, if the whole configuration is valid. @param needsMasters whether to read the file of master keys */
function loadSection<S extends Section>(
  section: S,
  from: LoadFrom,
  needed: Needed,
  needsMasters = section === "server" && needed === "all",
): Loaded<SectionValues<S>> & {
  readonly tokens: readonly TokenSetting[];
  readonly masterKeys: readonly string[];
} {
  const file = readConfigFile(from.configPath);
  const env = hideSourceVariables(file, from.env);
  const isRead = (name: Section): boolean => name === section || from.isWhole === true;
  const read = sections.filter(isRead).map((name) => ({ name, ...resolveSection(name, file, env) }));
  const own = read.find(({ name }) => name === section)!.values;
  const needsTokens = section === "server" && needed === "all";
  const { tokens, inFile, problems: tokenProblems } = allTokens(file, needsTokens ? own : []);
  const masters = masterKeysOf(needsMasters ? own : []);
  const problems = [
    ...unknownKeyProblems(file),
    ...read.flatMap(({ problems }) => problems),
    ...tokenProblems,
    ...masters.problems,
    ...read.flatMap(({ name, values }) =>
      contradictions(name, values, name === section ? needed : "none", tokens)
    ),
  ];
  const unknownVariables = unknownVariableWarnings(from.variables ?? []);
  // A misspelt variable may be the reason for a missing setting.
  if (problems.length > 0) throw new ConfigError([...problems, ...unknownVariables]);
  const warnings = [
    ...unknownVariables,
    ...read.flatMap(({ name, values }) => overriddenWarnings(name, values, from.env)),
    ...secretFileWarnings(file),
    ...masters.warnings,
    // Settings without effect are allowed, so only a check of the whole configuration reports them.
    ...from.isWhole === true ? uselessWarnings(read.find(({ name }) => name === "server")!.values) : [],
  ];
  const settings = Object.fromEntries(own.map(({ key, value }) => [key, value])) as SectionValues<S>;
  return {
    settings,
    file: file.exists ? file.path : undefined,
    values: own,
    warnings,
    fileTokens: inFile,
    tokens,
    masterKeys: masters.keys,
  };
}

function listenOn(values: ServerValues, resolved: readonly SettingValue[]): Listen {
  if (listensOnTcp(resolved)) {
    return { transport: "tcp", hostname: values.bindAddress.replace(/^\[(.*)\]$/, "$1"), port: values.port };
  }
  return { transport: "unix", path: values.socketPath, mode: parseInt(values.socketMode, 8) };
}

/** Without this, a file that names one source would contradict a variable that names the other. */
function hideSourceVariables(file: ConfigFile, env: ReadVariable): ReadVariable {
  const { sourceUrl, sourceSocket } = settings.backup;
  const inFile = file.section("backup");
  if (!inFile.has("sourceUrl") && !inFile.has("sourceSocket")) return env;
  return (name) => name === sourceUrl.variable || name === sourceSocket.variable ? undefined : env(name);
}
