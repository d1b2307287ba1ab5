import assert from "node:assert/strict";
import { join } from "node:path";
import { parsePostgresUrl, type PostgresAddress } from "../../../src/config/postgres_url.ts";
import { openPrimary } from "../../../src/store/postgres/connection/open_session.ts";
import { append } from "../../editions/b_tx/client.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { freePort } from "../../support/free_port.ts";
import { startServer } from "../../support/server_process.ts";
import { debianTest } from "../support/debian_program.ts";
import { PostgresCluster } from "./support/cluster.ts";
import { healthOf } from "./support/pair.ts";
import { serverVariables } from "./support/shared_stores.ts";
import { asUnprivileged, disown, reachable } from "./support/unprivileged.ts";

const PROGRAMS = ["pgbouncer", "postgres", "initdb"] as const;

/** A server whose session has ended is replaced within this time. */
const TAKEOVER_SECONDS = 30;

await debianTest(
  PROGRAMS,
  "behind a pooler that keeps sessions open, one server becomes active again",
  async ({ pgbouncer, ...programs }) => {
    await using cluster = await PostgresCluster.start(programs);
    const directory = Deno.makeTempDirSync({ prefix: "eventstore_test_" });
    disown(directory);
    const port = freePort();
    const config = join(directory, "pgbouncer.ini");
    Deno.writeTextFileSync(
      config,
      `[databases]
* = host=127.0.0.1 port=${cluster.port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any

pool_mode = session
default_pool_size = 50
ignore_startup_parameters = search_path,plan_cache_mode,enable_seqscan,enable_bitmapscan,enable_hashjoin,enable_mergejoin,jit,lock_timeout,idle_in_transaction_session_timeout,statement_timeout,synchronous_commit,default_transaction_isolation,default_transaction_read_only,tcp_keepalives_idle,tcp_keepalives_interval,tcp_keepalives_count,tcp_user_timeout
`,
    );
    disown(config);
    const { path, environment } = reachable({ pgbouncer }, directory).pgbouncer;
    const [program, ...args] = [...asUnprivileged(), path, config];
    const pooler = new Deno.Command(program!, {
      args,
      env: { ...environment },
      stdout: "inherit",
      stderr: "inherit",
    }).spawn();
    try {
      await cluster.sql("ALTER ROLE postgres SET search_path = eventstore");
      const url = `postgresql://postgres@127.0.0.1:${port}/postgres?sslmode=disable`;
      const env = {
        ...serverVariables(url),
        SERVICE_EDITION: "B",
      };
      await pause(1500);
      await using active = await startServer({ listen: "unix", listenOnly: true, env });
      await using standby = await startServer({ listen: "unix", listenOnly: true, env });
      await append(active.client(), { type: "a", payload: "" });
      await active.kill();
      // Other clients get the sessions of the killed one.
      const others = await Promise.all(Array.from({ length: 8 }, () => {
        const address = parsePostgresUrl(url) as PostgresAddress;
        return openPrimary({ address, schema: "eventstore" }, "setup");
      }));
      const polls = setInterval(() => {
        for (const other of others) other.run([{ sql: "SELECT" }]).catch(() => {});
      }, 500);
      using _ = { [Symbol.dispose]: () => clearInterval(polls) };
      await active.start();
      await eventually(async () => {
        const healths = await Promise.all([active, standby].map((server) => healthOf(server.client())));
        assert.deepEqual(healths.toSorted(), ["Standby", "ok"]);
      }, TAKEOVER_SECONDS);
    } finally {
      pooler.kill("SIGTERM");
      await pooler.status;
      Deno.removeSync(directory, { recursive: true });
    }
  },
);
