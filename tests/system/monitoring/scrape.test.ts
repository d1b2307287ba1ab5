import assert from "node:assert/strict";
import { join } from "node:path";
import { BackupDirectories } from "../../backup/run_backup.ts";
import { type DebianProgram, debianTest } from "../support/debian_program.ts";
import { eventually } from "../../support/eventually.ts";
import { startServer } from "../../support/server_process.ts";
import { NodeExporter } from "./node_exporter.ts";
import { hostAndPort, Prometheus } from "./prometheus.ts";

const TOKEN = "correct-horse-battery";

await debianTest(
  ["prometheus", "prometheus-node-exporter"],
  "a real Prometheus notices a failed backup, a wrong token and a server that is gone",
  async (programs) => {
    const env = { SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: TOKEN };
    await using server = await startServer({ listen: "tcp", listenOnly: true, env });
    using backup = new BackupDirectories(server.address);
    const metricsFile = join(backup.directory, "backup.prom");
    assert.equal((await backup.run({ args: ["--metrics-file", metricsFile] })).code, 1, "without the token");
    const tokenFile = join(backup.directory, "token");
    await Deno.writeTextFile(tokenFile, "wrong");
    await using node = await NodeExporter.start(programs["prometheus-node-exporter"], backup.directory);
    await using prometheus = await Prometheus.start(programs.prometheus, backup.directory, {
      servers: [hostAndPort(server)],
      node: node.address,
      tokenFile,
    });
    await eventually(async () => {
      assert.match((await prometheus.scrapeErrors()).join(), /HTTP status 401/);
      const rules = await prometheus.rules();
      for (const name of ["EventstoreBackupFailed", "EventstoreDown"]) {
        assert.equal(rules.get(name)?.state, "pending", name);
      }
    }, 15);
    await Deno.writeTextFile(tokenFile, TOKEN);
    await eventually(async () => assert.deepEqual(await prometheus.scrapeErrors(), []), 15);
    await server.stop();
    await eventually(async () => {
      assert.match((await prometheus.scrapeErrors()).join(), /refused/);
      assert.equal((await prometheus.query('up{job="eventstore"}'))[0]?.value[1], "0");
    }, 15);
  },
);

/** The faults that promtool finds in a page of metrics, and its exit code. */
async function faultsOf(promtool: DebianProgram, page: string): Promise<string> {
  const command = new Deno.Command(promtool.path, {
    args: ["check", "metrics"],
    env: promtool.environment,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
  await using process = command.spawn();
  const writer = process.stdin.getWriter();
  await writer.write(new TextEncoder().encode(page));
  await writer.close();
  const { code, stdout, stderr } = await process.output();
  return `${new TextDecoder().decode(stdout)}${new TextDecoder().decode(stderr)}exit code ${code}`;
}

for (const edition of ["A", "B", "C"]) {
  await debianTest(
    ["promtool"],
    `promtool: the metrics of edition ${edition} are well-formed and named as is usual`,
    async ({ promtool }) => {
      // With so few descriptors there is one metric more.
      const env = { SERVICE_EDITION: edition };
      await using server = await startServer({ listen: "unix", env, umask: "022 && ulimit -n 128" });
      const client = server.client();
      for (const path of ["/health", "/nothing", "/projections/type/id"]) await client.request("GET", path);
      const { text } = await client.request("GET", "/metrics");
      assert.match(text, /^service_reads_waiting 0$/m);
      assert.match(text, /^service_request_duration_seconds_bucket\{.*route="other".*\} 1$/m);
      assert.match(text, /^service_connections_max \d+$/m);
      assert.equal(await faultsOf(promtool, text), "exit code 0");
      const spoilt = text.replaceAll("service_reads_waiting", "service_reads_waiting_total");
      assert.match(await faultsOf(promtool, spoilt), /service_reads_waiting_total[^]*exit code [1-9]/);
    },
  );
}
