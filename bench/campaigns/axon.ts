import { AxonBuild } from "../../tests/system/integrations/axon_build.ts";
import { startServer } from "../../tests/support/server_process.ts";
import { findMaven } from "../../tests/system/support/java_tools.ts";
import { tcpUrlOf } from "../../tests/system/support/tcp_url.ts";
import { databaseSettings, databaseText, startDatabase } from "../postgres/database.ts";
import { print, table } from "./report.ts";

/*
 * Measures storage engines of Axon Framework: the one in memory, this store on both storages, and JPA on PostgreSQL. The
 * measurements are Java: integrations/axon/engine/src/speed/.
 *
 *   deno task campaign:axon
 */

const maven = await findMaven();
await using cluster = await startDatabase(undefined);
for (const name of ["store", "jpa"]) await cluster.sql(`CREATE DATABASE ${name} TEMPLATE template0`);
const listen = { listen: "tcp", listenOnly: true } as const;
await using sqlite = await startServer(listen);
await using postgres = await startServer({ ...listen, env: databaseSettings(cluster, "store") });
await using build = await AxonBuild.create(maven);
const printed = await build.run("engine", ["test", "--activate-profiles", "speed", "-Dtest=EngineSpeed"], {
  EVENTSTORE_SPEED_SQLITE: tcpUrlOf(sqlite),
  EVENTSTORE_SPEED_POSTGRESQL: tcpUrlOf(postgres),
  EVENTSTORE_SPEED_JPA: `jdbc:postgresql://127.0.0.1:${cluster.port}/jpa?user=postgres`,
});
const rows = [...printed.matchAll(/^speed: \| (.*) \|$/gm)].map(([, row]) => row!.split(" | "));
const load = Deno.loadavg().map((value) => value.toFixed(1));
print(`${await databaseText(cluster)}; load of this machine: ${load.join(", ")}\n\n`);
print(table(["Engine", "decisions/s, 1 thread", "8 threads", "events/s of a stream"], rows));
