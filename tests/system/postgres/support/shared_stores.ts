import type { PostgresLocation } from "../../../../src/store/postgres/connection/address.ts";
import { PostgresStore } from "../../../../src/store/postgres/postgres_store.ts";
import { type ServerOptions, type ServerProcess, startServer } from "../../../support/server_process.ts";
import type { PostgresCluster } from "./cluster.ts";

/** A schema of its own. */
export function newLocation(cluster: PostgresCluster): PostgresLocation {
  return { address: cluster.address(), schema: newSchema() };
}

function newSchema(): string {
  return `s_${crypto.randomUUID().replaceAll("-", "")}`;
}

/** Several stores in this process on one schema, like the stores of several servers of edition A. */
export class SharedStores implements AsyncDisposable {
  readonly place: PostgresLocation;
  readonly stores: readonly [PostgresStore, ...PostgresStore[]];
  /** Why stores can't be trusted any more. */
  readonly broken: string[] = [];

  private constructor(place: PostgresLocation, stores: readonly PostgresStore[]) {
    this.place = place;
    this.stores = stores as [PostgresStore, ...PostgresStore[]];
    for (const store of stores) {
      store.onEvent = ({ kind, reason }) => void (kind === "broken" && this.broken.push(reason));
    }
  }

  static async open(cluster: PostgresCluster, count: number, readersMax = 2): Promise<SharedStores> {
    const place = newLocation(cluster);
    const open = (): Promise<PostgresStore> =>
      PostgresStore.open(place, { readersMax, edition: "A", servers: "shared" });
    return new SharedStores(place, await Promise.all(Array.from({ length: count }, open)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.stores.map((store) => store.close()));
  }
}

/** Several servers of edition A on one schema. */
export class SharedServers implements AsyncDisposable {
  readonly schema: string;
  readonly servers: readonly [ServerProcess, ...ServerProcess[]];

  private constructor(schema: string, servers: readonly ServerProcess[]) {
    this.schema = schema;
    this.servers = servers as [ServerProcess, ...ServerProcess[]];
  }

  static async start(
    cluster: PostgresCluster,
    count: number,
    env: ServerOptions["env"] = {},
  ): Promise<SharedServers> {
    const schema = newSchema();
    const options = { env: { ...serverVariables(cluster, schema), ...env } };
    const started = await Promise.allSettled(Array.from({ length: count }, () => startServer(options)));
    const servers = started.flatMap((start) => start.status === "fulfilled" ? [start.value] : []);
    const all = new SharedServers(schema, servers);
    const failed = started.find((start) => start.status === "rejected");
    if (failed === undefined) return all;
    await all[Symbol.asyncDispose]();
    throw failed.reason;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.servers.map((server) => server[Symbol.asyncDispose]()));
  }
}

/** The variables that make a server store its events in a schema. */
export function serverVariables(cluster: PostgresCluster, schema: string): Record<string, string> {
  return {
    SERVICE_STORAGE: "postgres",
    SERVICE_POSTGRES_URL: cluster.url(),
    SERVICE_POSTGRES_SCHEMA: schema,
  };
}
