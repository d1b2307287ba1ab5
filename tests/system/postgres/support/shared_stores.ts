import type { PostgresLocation } from "../../../../src/store/postgres/connection/address.ts";
import { PostgresStore, type PostgresStoreOptions } from "../../../../src/store/postgres/postgres_store.ts";
import type { TcpProxy } from "../../../support/tcp_proxy.ts";
import { type ServerOptions, type ServerProcess, startServer } from "../../../support/server_process.ts";
import type { PostgresCluster } from "./cluster.ts";

/** A schema of its own. */
export function newLocation(cluster: PostgresCluster): PostgresLocation {
  return { address: cluster.address(), schema: newSchema() };
}

function newSchema(): string {
  return `s_${crypto.randomUUID().replaceAll("-", "")}`;
}

/** The same location, reached through a proxy. */
export function behind({ port }: TcpProxy, { address, schema }: PostgresLocation): PostgresLocation {
  const server = { transport: "tcp", hostname: "127.0.0.1", port, tls: undefined } as const;
  return { address: { ...address, server }, schema };
}

/** Opens a store like a server of edition A, unless other options are given. */
export function openStore(
  location: PostgresLocation,
  options: Partial<PostgresStoreOptions> = {},
): Promise<PostgresStore> {
  return PostgresStore.open(location, { readersMax: 2, edition: "A", servers: "shared", ...options });
}

/** Collects the reasons why stores cannot be trusted any more. */
export function brokenOf(...stores: readonly PostgresStore[]): string[] {
  const broken: string[] = [];
  for (const store of stores) {
    store.onNotice = ({ kind, reason }) => void (kind === "broken" && broken.push(reason));
  }
  return broken;
}

/** Several stores in this process on one schema, like the stores of several servers of edition A. */
export class SharedStores implements AsyncDisposable {
  readonly location: PostgresLocation;
  readonly stores: readonly [PostgresStore, ...PostgresStore[]];
  readonly broken: string[];

  private constructor(location: PostgresLocation, stores: readonly PostgresStore[]) {
    this.location = location;
    this.stores = stores as [PostgresStore, ...PostgresStore[]];
    this.broken = brokenOf(...stores);
  }

  static async open(
    cluster: PostgresCluster,
    count: number,
    options: Partial<PostgresStoreOptions> = {},
  ): Promise<SharedStores> {
    const location = newLocation(cluster);
    const opening = Array.from({ length: count }, () => openStore(location, options));
    return new SharedStores(location, await Promise.all(opening));
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
    const options = { env: { ...serverVariables(cluster.url(), schema), ...env } };
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
export function serverVariables(url: string, schema = "eventstore"): Record<string, string> {
  return { SERVICE_STORAGE: "postgres", SERVICE_POSTGRES_URL: url, SERVICE_POSTGRES_SCHEMA: schema };
}
