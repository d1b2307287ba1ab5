import assert from "node:assert/strict";
import { join } from "node:path";
import { settings } from "../../../src/config/settings.ts";
import { BackupDirectories, event } from "../../backup/run_backup.ts";
import { all, commandOf, DOCKERFILE, image, one, REPOSITORY, variables } from "../../packaging/dockerfile.ts";
import { replacePart } from "../../support/page_block.ts";
import { runCommand, runDeno } from "../../support/run_command.ts";
import { startServer } from "../../support/server_process.ts";
import { debianTest } from "../support/debian_program.ts";
import { explainDownload } from "../support/download.ts";
import { lintYaml } from "../support/lint_yaml.ts";

/* No engine runs compose.single.yaml here: its settings are given to a real server, its check and its backup. */

const FOLDER = join(REPOSITORY, "deploy/container");
const COMPOSE = join(FOLDER, "compose.single.yaml");
const TEXT = Deno.readTextFileSync(COMPOSE);
const TOKEN = "a-token-of-the-test";

/** It knows the schema of these files. */
const LINTER = "npm:dclint@3.1.0";

/** The text of a service. */
function service(name: string): string {
  return new RegExp(`^ {2}${name}:\\n((?: {4}.*\\n)+)`, "m").exec(TEXT)![1]!;
}

/** The variables of a service, in place of the image's, with what the operator gives. */
function variablesOf(name: string): Record<string, string> {
  const pairs = [...service(name).matchAll(/^ {6}(SERVICE_\w+): (.*)$/gm)].map(([, key, value]) => {
    const given = value!.replaceAll('"', "").replace(/^\$\{EVENTSTORE_TOKEN(:\?[^}]*)?\}$/, TOKEN);
    return [key!, given];
  });
  return { ...variables, ...Object.fromEntries(pairs) };
}

/** The errors of the linter about a text; its opinions on the order of keys are warnings. */
async function errorsOf(text: string): Promise<string> {
  const directory = await Deno.makeTempDir({ prefix: "eventstore_compose_" });
  try {
    const path = join(directory, "compose.yaml");
    await Deno.writeTextFile(path, text);
    const { code, stdout, stderr } = await runDeno(
      ["run", "--quiet", "--no-config", "--no-lock", "--allow-all", LINTER, "--quiet", path],
    );
    if (code !== 0 && stdout === "") explainDownload("the linter")(new Error(stderr));
    return stdout.trim();
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("compose.single.yaml sets what the programs know, and mounts the volumes of the image", () => {
  const known = [...Object.values(settings.server), ...Object.values(settings.backup)]
    .map(({ variable }: { variable: string }) => variable);
  const set = [...TEXT.matchAll(/\bSERVICE_\w+/g)].map(([name]) => name);
  assert.ok(set.length >= 5);
  for (const name of set) assert.ok(known.includes(name), name);
  assert.equal(join(FOLDER, /^ +context: (\S+)$/m.exec(TEXT)![1]!, "/"), REPOSITORY);
  assert.equal(join(REPOSITORY, /^ +dockerfile: (\S+)$/m.exec(TEXT)![1]!), DOCKERFILE);
  const mounted = [...TEXT.matchAll(/^ +- (\w+):(\/\w+)$/gm)].map(([, , path]) => path);
  assert.deepEqual(mounted, commandOf(one(image, "VOLUME")));
  assert.deepEqual(
    JSON.parse(/^ +test: (.*)$/m.exec(service("server"))![1]!),
    ["CMD", ...commandOf(one(image, "HEALTHCHECK"))],
  );
});

await debianTest(
  ["yamllint"],
  "a linter has nothing to say about compose.single.yaml",
  async ({ yamllint }) => {
    assert.equal(await lintYaml(yamllint, COMPOSE), "");
  },
);

Deno.test("both compose files follow the schema, and an unknown key or a wrong value does not", async () => {
  for (const name of ["compose.yaml", "compose.single.yaml"]) {
    assert.equal(await errorsOf(await Deno.readTextFile(join(FOLDER, name))), "", name);
  }
  const unknown = TEXT.replace("    read_only: true", "    read_onyl: true");
  assert.match(await errorsOf(unknown), /"\/services\/server".*must NOT have additional properties/);
  const wrong = replacePart(TEXT, "restart: unless-stopped", "restart: [1]");
  assert.match(await errorsOf(wrong), /"\/services\/server\/restart".*must be string/);
});

Deno.test("the server of compose.single.yaml needs the token, is healthy, keeps its events and is backed up", async () => {
  const directory = await Deno.makeTempDir({ prefix: "eventstore_compose_" });
  try {
    const { SERVICE_BIND_ADDRESS, SERVICE_PORT, ...env } = variablesOf("server");
    assert.deepEqual([SERVICE_BIND_ADDRESS, SERVICE_PORT], ["0.0.0.0", "8085"]);
    assert.equal(env["SERVICE_DATA_DIR"], "/data");
    const options = {
      listen: "tcp",
      listenOnly: true,
      env: { ...env, SERVICE_DATA_DIR: join(directory, "data") },
    } as const;
    const authorization = `Bearer ${TOKEN}`;
    {
      await using server = await startServer(options);
      const { address } = server;
      assert.ok(address.transport === "tcp");
      assert.equal((await server.client().request("GET", "/health")).status, 401);
      await server.client({ authorization }).append(event("1"), event("2"));

      const checked = { ...variables, ...env, SERVICE_PORT: String(address.port) };
      const script = all(image, "COPY").find((rest) => rest.endsWith("/eventstore-health"))!.split(" ").at(
        -2,
      )!;
      for (const path of [[], ["/health?writes"]]) {
        const check = ["bash", join(REPOSITORY, script), ...path];
        assert.equal((await runCommand(check, { env: checked })).code, 0);
        assert.equal((await runCommand(check, { env: { ...checked, SERVICE_PORT: "1" } })).code, 1);
      }

      using place = new BackupDirectories(address);
      const backup = variablesOf("backup");
      const url = replacePart(
        backup["SERVICE_BACKUP_SOURCE_URL"]!,
        "server:8085",
        `127.0.0.1:${address.port}`,
      );
      const { code, stdout, stderr } = await place.run({
        env: { ...backup, SERVICE_BACKUP_SOURCE_URL: url, SERVICE_BACKUP_DATA_DIR: place.dataDir },
        isEnvironmentEmpty: true,
      });
      assert.equal(code, 0, stderr);
      assert.match(stdout, /copied 2 events/);
    }
    await using again = await startServer(options);
    assert.equal((await again.client({ authorization }).allEvents()).length, 2);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
