import { fromRoot } from "../files/paths.ts";
import { type Address, addressText } from "../model/address.ts";
import type { SettingValue } from "./resolve.ts";
import { settings } from "./settings.ts";

/**
 * True when these settings of `[server]` make it listen on TCP. A socket path that is set wins, then address or port.
 */
export function listensOnTcp(values: readonly SettingValue[]): boolean {
  const isSet = (wanted: string): boolean =>
    values.some(({ key, source }) => key === wanted && source !== "default");
  return !isSet("socketPath") && (isSet("bindAddress") || isSet("port"));
}

/** Returns where a server listens, for people: a socket as an absolute path. */
export function listenText(listen: Address): string {
  return listen.transport === "unix" ? fromRoot(listen.path) : addressText(listen);
}

/** Returns the settings of `[server]` that have no effect because of other settings, each with the reason. */
export function unusedSettings(values: readonly SettingValue[]): ReadonlyMap<string, string> {
  const valueOf = (wanted: string): unknown => values.find(({ key }) => key === wanted)?.value;
  const edition = valueOf("edition");
  const unused = new Map<string, string>();
  for (const [key, { editions }] of Object.entries<{ editions?: readonly unknown[] }>(settings.server)) {
    if (editions?.includes(edition) === false) unused.set(key, `unused in edition ${edition}`);
  }
  const isTcp = listensOnTcp(values);
  for (const key of isTcp ? ["socketPath", "socketMode"] : ["bindAddress", "port"]) {
    unused.set(key, `unused: the server listens on ${isTcp ? "TCP" : "socketPath"}`);
  }
  const isAuthOn = valueOf("enableAuth") === true;
  for (const key of isAuthOn ? ["allowedHosts"] : ["authToken", "openHealth", "recordTokenName"]) {
    unused.set(key, `unused: enableAuth is ${isAuthOn ? "on" : "off"}`);
  }
  for (const key of unusedBeside(valueOf("storage"), edition)) {
    unused.set(key, `unused: storage is ${valueOf("storage")}`);
  }
  return unused;
}

/**
 * Returns the settings of the other storage. With PostgreSQL, only edition C still has a file in `dataDir`: its pause.
 */
function unusedBeside(storage: unknown, edition: unknown): string[] {
  if (storage !== "postgres") {
    return ["postgresUrl", "postgresReadUrl", "postgresSchema", "postgresPoolSize", "postgresFailover"];
  }
  const ofSqlite = ["readPoolSize", "preloadMebibytes"];
  return edition === "C" ? ofSqlite : [...ofSqlite, "dataDir"];
}
