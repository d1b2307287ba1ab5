import { storePaths } from "../src/store/sqlite/data_directory/database_file.ts";
import type { PostgresCluster } from "../tests/system/postgres/support/cluster.ts";
import { fillStore } from "./fill_store.ts";
import { copyDatabase, databaseSettings, fillDatabase } from "./postgres/database.ts";

/** The store of a server: its data directory, and settings for a store elsewhere. */
export interface StoreHome {
  readonly dataDir: string;
  readonly settings: Readonly<Record<string, string>>;
}

const SERVERS = ["server", "edition_b", "edition_c", "ungrouped"] as const;

/** The stores of a run, all of which hold the same events. */
export interface Stores {
  readonly server: StoreHome;
  readonly editionB: StoreHome;
  readonly editionC: StoreHome;
  readonly ungrouped: StoreHome;
  /** Data directories of the baselines without a server. They use files, whatever the servers use. */
  readonly pageRead: string;
  readonly insertLoop: string;
}

export interface StoresWanted {
  readonly directory: string;
  readonly database: PostgresCluster | undefined;
  readonly storeEvents: number;
}

export async function makeStores({ directory, database, storeEvents }: StoresWanted): Promise<Stores> {
  const filled = `${directory}/filled`;
  fillStore(filled, storeEvents);
  const copy = (name: string): string => {
    const dataDir = emptyDirectory(directory, name);
    Deno.copyFileSync(storePaths(filled).database, storePaths(dataDir).database);
    return dataDir;
  };
  const yardsticks = { pageRead: filled, insertLoop: copy("insert_loop") };
  const homes = database === undefined
    ? SERVERS.map((name) => ({ dataDir: copy(name), settings: {} }))
    : await homesIn(database, directory, storeEvents);
  const [server, editionB, editionC, ungrouped] = homes as [StoreHome, StoreHome, StoreHome, StoreHome];
  return { server, editionB, editionC, ungrouped, ...yardsticks };
}

async function homesIn(
  database: PostgresCluster,
  directory: string,
  storeEvents: number,
): Promise<StoreHome[]> {
  await fillDatabase(database, "filled", storeEvents);
  const homes: StoreHome[] = [];
  for (const name of SERVERS) {
    await copyDatabase(database, "filled", name);
    homes.push({ dataDir: emptyDirectory(directory, name), settings: databaseSettings(database, name) });
  }
  return homes;
}

function emptyDirectory(directory: string, name: string): string {
  const path = `${directory}/${name}`;
  Deno.mkdirSync(path);
  return path;
}
