import assert from "node:assert/strict";
import { join } from "node:path";
import { settings } from "../../../src/config/settings.ts";
import { BackupDirectories, event } from "../../backup/run_backup.ts";
import { all, commandOf, image, one, REPOSITORY, variables } from "../../packaging/dockerfile.ts";
import { inDirectory, modeOf, namesIn } from "../../support/directory.ts";
import { holdWriteLock } from "../../support/held_write_lock.ts";
import { pageBlock, replacePart } from "../../support/page_block.ts";
import { makePrograms } from "../../support/programs.ts";
import { type Ended, runCommand } from "../../support/run_command.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";
import { PostgresCluster } from "../postgres/support/cluster.ts";
import { debianTest } from "../support/debian_program.ts";
import { lintYaml } from "../support/lint_yaml.ts";
import { pythonDebianTest, pythonProgram, pythonTest } from "../support/python_tools.ts";
import { type Container, type Manifest, podOf, readManifests } from "./manifests.ts";

/*
 * The manifests of deploy/kubernetes/ follow the schemas of Kubernetes. No cluster runs here: their settings are given
 * to real servers, and their probes ask these.
 */

const FOLDER = join(REPOSITORY, "deploy/kubernetes");
const NAMES = ["sqlite.yaml", "postgres.yaml", "backup.yaml", "keys.yaml"];
const TOKEN = "a-token-of-the-test";

/** The page promises the schemas of 1.27 to 1.37. */
const VERSIONS = Array.from({ length: 11 }, (_, i) => `1.${27 + i}`);

const textOf = (name: string): string => Deno.readTextFileSync(join(FOLDER, name));
const manifestsOf = async (name: string): Promise<readonly Manifest[]> =>
  await readManifests(join(FOLDER, name));

/** The container of a file, with its variables in place of the image's. */
async function containerOf(
  name: string,
  secrets: Readonly<Record<string, string>>,
): Promise<Container & { readonly variables: Record<string, string> }> {
  const [container] = (await manifestsOf(name)).flatMap((manifest) => podOf(manifest)?.spec.containers ?? []);
  const given = container!.env.map(({ name, value, valueFrom }) => {
    const { name: secret, key } = valueFrom?.secretKeyRef ?? { name: "eventstore", key: "" };
    assert.equal(secret, "eventstore");
    return [name, value ?? secrets[key]!] as const;
  });
  return { ...container!, variables: { ...variables, ...Object.fromEntries(given) } };
}

/** Runs the command of a probe on this machine, for a server at another port. */
async function probe(command: readonly string[], { address }: ServerProcess): Promise<number> {
  assert.ok(address.transport === "tcp");
  const copied = all(image, "COPY").find((rest) => rest.endsWith(`/${command[0]}`))!.split(" ").at(-2)!;
  const env = { SERVICE_AUTH_TOKEN: TOKEN, SERVICE_PORT: String(address.port) };
  return (await runCommand(["bash", join(REPOSITORY, copied), ...command.slice(1)], { env })).code;
}

async function validate(version: string, ...paths: readonly string[]): Promise<Ended> {
  const program = await pythonProgram("kubernetes_schemas", "kubernetes-validate");
  return await runCommand([program, "--strict", "--kubernetes-version", version, ...paths]);
}

pythonTest("the manifests follow the schemas of every version that the page promises", async () => {
  const [oldest, newest] = [VERSIONS[0], VERSIONS.at(-1)];
  assert.ok(Deno.readTextFileSync(join(REPOSITORY, "docs/kubernetes.md")).includes(`${oldest} to ${newest}`));
  const documents = NAMES.flatMap((name) => textOf(name).split("\n---\n")).length;
  for (const version of VERSIONS) {
    const { code, stdout, stderr } = await validate(version, ...NAMES.map((name) => join(FOLDER, name)));
    assert.equal(code, 0, stdout + stderr);
    const passed = (stdout + stderr).match(/ passed for resource \S+ against version \S+/g);
    assert.equal(passed?.length, documents);
    assert.ok(passed.every((line) => line.endsWith(` ${version}`)));
  }
});

const BROKEN: readonly (readonly [file: string, text: string, changed: string, message: RegExp])[] = [
  ["sqlite.yaml", "livenessProbe:", "livnessProbe:", /'livnessProbe' was unexpected/],
  ["sqlite.yaml", "replicas: 1", "replicas: one", /'one' is not (of type|valid)/],
  ["sqlite.yaml", "serviceName: eventstore", "servicename: eventstore", /servicename/],
  [
    "postgres.yaml",
    "          image: registry.example.org/eventstore:0.1.0\n",
    "          img: x\n",
    /'img'/,
  ],
  ["postgres.yaml", "drop: [ALL]", "drop: ALL", /'ALL' is not of type/],
  ["backup.yaml", 'schedule: "17 * * * *"', "every: hour", /'schedule' is a required property/],
];

pythonTest(
  "the schemas reject a manifest with an unknown key or a wrong value, and name it",
  async () => {
    await inDirectory(async (directory) => {
      const path = join(directory, "broken.yaml");
      for (const [file, text, changed, message] of BROKEN) {
        await Deno.writeTextFile(path, replacePart(textOf(file), text, changed));
        const { code, stdout, stderr } = await validate(VERSIONS.at(-1)!, path);
        assert.notEqual(code, 0, changed);
        assert.match(stdout + stderr, message);
      }
    });
  },
);

await debianTest(["yamllint"], "a linter has nothing to say about the manifests", async ({ yamllint }) => {
  for (const name of NAMES) assert.equal(await lintYaml(yamllint, join(FOLDER, name)), "", name);
});

pythonTest("the manifests fit the image, the page and each other", async () => {
  const known: readonly { variable: string }[] = [
    ...Object.values(settings.server),
    ...Object.values(settings.backup),
  ];
  const secret = pageBlock("kubernetes.md", "# The token for the clients, and for PostgreSQL its URL:");
  const [uid, gid] = one(image, "USER").split(":").map(Number);
  for (const name of NAMES) {
    const manifests = await manifestsOf(name);
    const pod = manifests.map(podOf).find((pod) => pod !== undefined)!;
    const [container] = pod.spec.containers;
    const { runAsUser, runAsGroup, runAsNonRoot } = pod.spec.securityContext;
    assert.deepEqual([runAsUser, runAsGroup, runAsNonRoot], [uid, gid, true], name);
    assert.equal(container!.securityContext["readOnlyRootFilesystem"], true, name);
    assert.equal(pod.spec.enableServiceLinks, false, name);
    for (const { name: variable, valueFrom } of container!.env) {
      assert.ok(known.some((setting) => setting.variable === variable), variable);
      const key = valueFrom?.secretKeyRef.key;
      assert.ok(key === undefined || secret.includes(`--from-literal=${key}=`), key);
    }
    const mounted = container!.volumeMounts?.map(({ mountPath }) => mountPath) ?? [];
    for (const path of mounted) assert.ok(commandOf(one(image, "VOLUME")).includes(path), path);
    const selector = (await manifestsOf("sqlite.yaml")).find(({ kind }) => kind === "Service")!.spec
      .selector!;
    const isServer = Object.entries(selector).every(([key, value]) => pod.metadata.labels[key] === value);
    assert.equal(
      isServer,
      name !== "backup.yaml" && name !== "keys.yaml",
      "the service finds the servers, and only these",
    );
    if (!isServer) continue;
    assert.deepEqual(container!.ports!.map(({ containerPort }) => String(containerPort)), [
      one(image, "EXPOSE"),
    ]);
    const pause = Number(container!.lifecycle?.preStop.exec.command.at(-1) ?? 0);
    assert.ok(pod.spec.terminationGracePeriodSeconds! >= pause + 2 * 10, "the server stops within 10 s");
  }
});

pythonTest("the server of sqlite.yaml is alive and ready, also while its writes fail", async () => {
  const { variables, ...container } = await containerOf("sqlite.yaml", { token: TOKEN });
  const { SERVICE_BIND_ADDRESS, SERVICE_DATA_DIR, SERVICE_PORT, ...env } = variables;
  assert.deepEqual([SERVICE_BIND_ADDRESS, SERVICE_DATA_DIR, SERVICE_PORT], [
    "0.0.0.0",
    "/data/store",
    "8085",
  ]);
  const withSubjects = { ...env, SERVICE_SUBJECTS: "student" };
  await using server = await startServer({ listen: "tcp", listenOnly: true, env: withSubjects });
  const client = server.client({ authorization: `Bearer ${TOKEN}` });
  const { startupProbe, livenessProbe, readinessProbe } = container;
  const asks = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe!.exec!.command);
  const answers = (): Promise<number[]> => Promise.all(asks.map((command) => probe(command, server)));
  assert.deepEqual(await answers(), [0, 0, 0]);
  await client.append(event("1"));
  {
    // Longer than the server waits for its file.
    using _held = holdWriteLock(server);
    assert.equal((await client.write({ events: [event("2")] })).status, 503);
    assert.deepEqual(await answers(), [0, 0, 0]);
    assert.equal(await probe(["eventstore-health", "/health?writes"], server), 1);
  }

  // The backup of backup.yaml.
  using place = new BackupDirectories(server.address);
  const backup = (await containerOf("backup.yaml", { token: TOKEN })).variables;
  assert.equal(backup["SERVICE_BACKUP_DATA_DIR"], "/backup/stores");
  assert.ok(server.address.transport === "tcp");
  const url = replacePart(
    backup["SERVICE_BACKUP_SOURCE_URL"]!,
    "eventstore:8085",
    `127.0.0.1:${server.address.port}`,
  );
  const { code, stdout, stderr } = await place.run({
    env: { ...backup, SERVICE_BACKUP_SOURCE_URL: url, SERVICE_BACKUP_DATA_DIR: place.dataDir },
    isEnvironmentEmpty: true,
  });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /copied 1 events? /);

  // The copy of keys.yaml.
  const keys = await containerOf("keys.yaml", { token: TOKEN });
  const [shell, flags, script] = keys.command!;
  const environment = {
    ...Deno.env.toObject(),
    ...keys.variables,
    SERVICE_BACKUP_SOURCE_URL: url,
    PATH: `${await makePrograms(place.directory)}:${Deno.env.get("PATH")}`,
  };
  const copies = join(place.directory, "keys");
  const here = script!.replaceAll("/backup/keys", copies);
  const copied = await runCommand([shell!, flags!, here], { env: environment });
  assert.deepEqual(copied, { code: 0, stdout: "", stderr: "" });
  assert.deepEqual([modeOf(copies), namesIn(copies).length], [0o700, 1]);

  await server.stop();
  assert.deepEqual(await answers(), [1, 1, 1]);
  Deno.utimeSync(join(copies, namesIn(copies)[0]!), 0, 0);
  assert.equal((await runCommand([shell!, flags!, here], { env: environment })).code, 1);
  assert.equal(namesIn(copies).length, 1, "no copy is deleted");
});

await pythonDebianTest(
  ["postgres", "initdb"],
  "a server of postgres.yaml is ready while it can write, and alive without its database",
  async (programs) => {
    await using cluster = await PostgresCluster.start(programs);
    const container = await containerOf("postgres.yaml", { token: TOKEN, "postgres-url": cluster.url() });
    const { SERVICE_BIND_ADDRESS: _address, SERVICE_PORT: _port, ...env } = container.variables;
    await using server = await startServer({ listen: "tcp", listenOnly: true, env });
    const client = server.client({ authorization: `Bearer ${TOKEN}` });
    await client.append(event("1"));
    const ready = container.readinessProbe!.exec!.command;
    assert.equal(await probe(ready, server), 0);
    await cluster.end("SIGQUIT");
    assert.equal((await client.write({ events: [event("2")] })).status, 503);
    assert.equal(await probe(ready, server), 1);
    for (const { tcpSocket } of [container.startupProbe!, container.livenessProbe!]) {
      assert.equal(tcpSocket?.port, "http", "asks nothing of the database");
    }
  },
);
