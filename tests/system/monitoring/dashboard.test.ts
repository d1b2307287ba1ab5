import assert from "node:assert/strict";
import { join } from "node:path";
import { BackupDirectories } from "../../backup/run_backup.ts";
import { begin } from "../../editions/b_tx/client.ts";
import type { Client } from "../../support/client.ts";
import { debianTest } from "../support/debian_program.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";
import { shownByDashboard } from "./dashboard.ts";
import { NodeExporter } from "./node_exporter.ts";
import { hostAndPort, Prometheus, readMonitoring } from "./prometheus.ts";

const TOKEN = "correct-horse-battery";

async function assertEachShowsSomething(prometheus: Prometheus): Promise<void> {
  for (const { title, expression, labels } of shownByDashboard()) {
    const series = await prometheus.query(expression);
    assert.notEqual(series.length, 0, `${title}: nothing found for ${expression}`);
    for (const { metric, value } of series) {
      assert.notEqual(value[1], "NaN", `${title}: ${expression}`);
      for (const label of labels) assert.ok(label in metric, `${title}: no label ${label}`);
    }
  }
}

/**
 * Asserts that a panel shows the editions of its row, and no other. A row about every edition shows each of them,
 * unless there may be nothing to show ("> 0") or it is not known yet.
 */
async function assertShowsItsEditions(prometheus: Prometheus, instances: Instances): Promise<void> {
  const editionAt = new Map(Object.entries(instances).map(([edition, instance]) => [instance, edition]));
  for (const { title, editions, expression } of shownByDashboard()) {
    if (editions === undefined) continue;
    const series = await prometheus.query(expression);
    const shown = new Set(series.map(({ metric }) => editionAt.get(metric["instance"]!) ?? "none"));
    for (const edition of shown) assert.ok(editions.includes(edition), `${title} shows ${edition}`);
    const mayLack = expression.endsWith("> 0") || expression.startsWith("service_connections_max");
    if (editions === "ABC" && !mayLack) assert.equal(shown.size, 3, `${title} shows ${[...shown]}`);
  }
}

/** The address of the server of each edition, as a scraper names it. */
type Instances = Readonly<Record<string, string>>;

async function assertEachMetricIsShown(prometheus: Prometheus): Promise<void> {
  const text = shownByDashboard().map(({ expression }) => expression).join("\n");
  const found = await prometheus.query(
    'group by (__name__) ({__name__=~"(service|process)_.+", job!="node"})',
  );
  const names = found.map(({ metric }) => metric["__name__"]!.replace(/_(bucket|sum|count)$/, ""));
  assert.ok(names.length > 10);
  for (const name of names) assert.ok(text.includes(name), `the dashboard does not show ${name}`);
}

type Work = () => Promise<void>;

/** Requests of edition A that `/metrics` counts. */
const writes = (client: Client): Work => async () => {
  await client.append({ type: "t", identifiers: {}, payload: "" });
  await client.write({ conditions: [{ failIfEventsMatch: "*" }] });
};

/** Requests of edition B that `/metrics` counts. */
const decisions = (client: Client): Work => async () => {
  const tx = await begin(client);
  await tx.decide("none", { type: "t", identifiers: {}, payload: "" });
  assert.equal((await tx.commit()).status, 204);
};

/** Requests of edition C that `/metrics` counts. */
const tickets = (client: Client): Work => async () => {
  for (const end of ["/commit", "/rollback"]) {
    const { ticket } = (await client.request("POST", "/begin")).json<{ ticket: string }>();
    const reply = await client.request("POST", end, { headers: { "x-service-ticket": ticket } });
    assert.equal(reply.status, 204, reply.text);
  }
};

/** Works again and again until the check passes. */
async function whileWorking(work: readonly Work[], check: () => Promise<void>): Promise<void> {
  let over = false;
  const repeat = async (): Promise<void> => {
    while (!over) {
      for (const once of work) await once();
      await pause(100);
    }
  };
  await Promise.all([repeat(), check().finally(() => over = true)]);
}

const WORK = { A: writes, B: decisions, C: tickets };

function startEdition(edition: string): Promise<ServerProcess> {
  const env = {
    SERVICE_ENABLE_AUTH: "true",
    SERVICE_AUTH_TOKEN: TOKEN,
    SERVICE_EDITION: edition,
    SERVICE_SUBJECTS: "student",
  };
  // With so few descriptors the server knows its limit on connections.
  return startServer({ listen: "tcp", listenOnly: true, env, umask: "022 && ulimit -n 200" });
}

await debianTest(
  ["prometheus", "prometheus-node-exporter"],
  "with a real Prometheus each panel of the dashboard shows something, and no alert fires",
  async (programs) => {
    const servers: ServerProcess[] = [];
    const work: Work[] = [];
    await using stack = new AsyncDisposableStack();
    for (const [edition, workOf] of Object.entries(WORK)) {
      const server = stack.use(await startEdition(edition));
      servers.push(server);
      work.push(workOf(server.client({ authorization: `Bearer ${TOKEN}` })));
    }
    for (const once of work) await once();

    using backup = new BackupDirectories(servers[0]!.address);
    const args = ["--metrics-file", join(backup.directory, "backup.prom")];
    const run = await backup.run({ args, env: { SERVICE_BACKUP_SOURCE_TOKEN: TOKEN } });
    assert.equal(run.code, 0, run.stderr);
    const tokenFile = join(backup.directory, "token");
    await Deno.writeTextFile(tokenFile, TOKEN, { mode: 0o600 });
    await using node = await NodeExporter.start(programs["prometheus-node-exporter"], backup.directory);
    const instances = Object.fromEntries(
      Object.keys(WORK).map((edition, i) => [edition, hostAndPort(servers[i]!)]),
    );
    await using prometheus = await Prometheus.start(programs.prometheus, backup.directory, {
      servers: servers.map(hostAndPort),
      node: node.address,
      tokenFile,
    });

    await eventually(async () => assert.deepEqual(await prometheus.scrapeErrors(), []), 10);
    await whileWorking(work, () => eventually(() => assertEachShowsSomething(prometheus), 20));
    await assertShowsItsEditions(prometheus, instances);
    await assertEachMetricIsShown(prometheus);
    await eventually(async () => {
      const rules = await prometheus.rules();
      assert.equal(rules.size, readMonitoring("alerts.yml").match(/- alert:/g)?.length);
      for (const [name, { health, state }] of rules) {
        // The disk is the one of this machine, and may be filling just now.
        const expected = name === "EventstoreDiskFills" && state === "pending" ? state : "inactive";
        assert.deepEqual([health, state], ["ok", expected], name);
      }
    }, 10);
    assert.equal((await prometheus.query("service_backup_last_sequence"))[0]?.value[1], "1");
  },
);
