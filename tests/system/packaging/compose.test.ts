import assert from "node:assert/strict";
import { join } from "node:path";
import { settings } from "../../../src/config/settings.ts";
import { DOCKERFILE, REPOSITORY } from "../../packaging/dockerfile.ts";
import { Client } from "../../support/client.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free_port.ts";
import { replacePart } from "../../support/page_block.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";
import { PostgresCluster } from "../postgres/support/cluster.ts";
import { DebianProcess } from "../support/debian_process.ts";
import { type DebianProgram, debianTest } from "../support/debian_program.ts";
import { lintYaml } from "../support/lint_yaml.ts";

/* No engine runs compose.yaml here: its settings are given to real servers, and its proxy stands before them. */

const FOLDER = join(REPOSITORY, "deploy/container");
const COMPOSE = join(FOLDER, "compose.yaml");
const TEXT = Deno.readTextFileSync(COMPOSE);
const NGINX = join(FOLDER, "nginx.conf");
const TOKEN = "a-token-of-the-test";

/** However busy the machine is. */
const TIMEOUT_SECONDS = 60;

/** The variables of a server, with those that the operator gives. */
function serverVariables(databaseUrl: string): Record<string, string> {
  const lines = [...TEXT.matchAll(/^ +(SERVICE_\w+): (.*)$/gm)];
  const variables = Object.fromEntries(lines.map(([, name, value]) => [name!, value!.replaceAll('"', "")]));
  const wanted =
    "postgresql://eventstore:${EVENTSTORE_DATABASE_PASSWORD}@database/eventstore?sslmode=disable";
  assert.equal(variables["SERVICE_POSTGRES_URL"], wanted);
  return { ...variables, SERVICE_POSTGRES_URL: databaseUrl, SERVICE_AUTH_TOKEN: TOKEN };
}

Deno.test("compose.yaml sets what a server knows, and names files that are there", () => {
  const known = Object.values<{ variable: string }>(settings.server).map(({ variable }) => variable);
  const set = [...TEXT.matchAll(/\bSERVICE_\w+/g)].map(([name]) => name);
  assert.ok(set.length >= 5);
  for (const name of set) assert.ok(known.includes(name), name);
  const mounted = [...TEXT.matchAll(/^ +- \.\/(\S+?):/gm)].map(([, path]) => path!);
  // Paths are relative to the file, except for the Dockerfile's, which is relative to the context.
  assert.deepEqual(mounted.map((path) => join(FOLDER, path)), [NGINX]);
  assert.ok(Deno.statSync(NGINX).isFile);
  const [, context] = /^ +context: (\S+)$/m.exec(TEXT)!;
  assert.equal(join(FOLDER, context!, "/"), REPOSITORY);
  const [, dockerfile] = /^ +dockerfile: (\S+)$/m.exec(TEXT)!;
  assert.equal(join(FOLDER, context!, dockerfile!), DOCKERFILE);
  // The proxy knows the servers by the names of their services, at the port of the image.
  const services = [...TEXT.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name);
  const upstreams = Deno.readTextFileSync(NGINX).matchAll(/server (\w+):8085 /g);
  for (const [, name] of upstreams) assert.ok(services.includes(name), name);
});

await debianTest(["yamllint"], "a linter has nothing to say about compose.yaml", async ({ yamllint }) => {
  assert.equal(await lintYaml(yamllint, COMPOSE), "");
});

/** The proxy of compose.yaml before two servers. */
async function startProxy(
  nginx: DebianProgram,
  servers: readonly ServerProcess[],
): Promise<Client & AsyncDisposable> {
  const directory = Deno.makeTempDirSync({ prefix: "eventstore_proxy_" });
  const port = freePort();
  let config = Deno.readTextFileSync(NGINX);
  config = replacePart(config, "listen 8085;", `listen 127.0.0.1:${port};`);
  for (const [i, { address }] of servers.entries()) {
    assert.ok(address.transport === "tcp");
    config = replacePart(config, `server server${i + 1}:8085`, `server 127.0.0.1:${address.port}`);
  }
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${directory}/${kind};`);
  config = replacePart(config, "http {", `http {\n${temporary.join("\n")}`);
  const user = Deno.uid() === 0 ? "user root;" : "";
  const path = join(directory, "nginx.conf");
  Deno.writeTextFileSync(
    path,
    `${user} daemon off; pid ${directory}/nginx.pid; error_log stderr;\n${config}`,
  );
  const args = ["-c", path, "-p", directory, "-e", "stderr"];
  const process = await DebianProcess.start(nginx, { args, directory, ports: [port] });
  const address = { transport: "tcp", hostname: "127.0.0.1", port } as const;
  return Object.assign(new Client(address, { authorization: `Bearer ${TOKEN}` }), {
    async [Symbol.asyncDispose]() {
      await process[Symbol.asyncDispose]();
      Deno.removeSync(directory, { recursive: true });
    },
  });
}

await debianTest(
  ["postgres", "initdb", "nginx"],
  "two servers behind the proxy of compose.yaml are one store, and one of them is enough",
  async ({ nginx, ...programs }) => {
    await using cluster = await PostgresCluster.start(programs);
    const options = { listen: "tcp", listenOnly: true, env: serverVariables(cluster.url()) } as const;
    await using first = await startServer(options);
    await using second = await startServer(options);
    await using client = await startProxy(nginx, [first, second]);
    for (let i = 1; i <= 20; i++) {
      const { events: [event] } = await client.append({ type: "a", payload: String(i) });
      assert.equal(event!.sequence, i);
    }
    const ofServers = await Promise.all([first, second].map(({ address }) => committed(address)));
    assert.equal(ofServers[0]! + ofServers[1]!, 20);
    assert.ok(ofServers.every((writes) => writes > 0), "both take a share");
    assert.equal((await client.request("GET", "/metrics")).status, 404);

    await second.kill();
    // A connection that was kept alive may still be tried once.
    await eventually(async () => {
      for (let i = 0; i < 10; i++) assert.equal((await client.queryEvents()).reply.status, 200);
    }, TIMEOUT_SECONDS);
    await client.append({ type: "after", payload: "" });
    assert.equal((await client.allEvents()).length, 21);
  },
);

/** How many writes a server has committed. */
async function committed(address: Client["address"]): Promise<number> {
  const client = new Client(address, { authorization: `Bearer ${TOKEN}` });
  const { text } = await client.request("GET", "/metrics");
  return Number(/^service_writes_committed_total (\d+)$/m.exec(text)![1]);
}
