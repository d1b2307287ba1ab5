import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { loadBackupSettings, loadServerSettings } from "../../src/config/load.ts";
import { settings, settingsOf } from "../../src/config/settings.ts";
import { all, buildContext, commandOf, denoOutput, image, one, REPOSITORY, variables } from "./dockerfile.ts";

Deno.test("what the build needs reaches it, and so does what is copied", async () => {
  const context = buildContext();
  for (const path of context) assert.ok(existsSync(join(REPOSITORY, path)), path);
  const isInside = (path: string): boolean =>
    context.some((allowed) => path === allowed || path.startsWith(`${allowed}/`));
  for (const entry of ["main.ts", "cli/init.ts", "cli/backup.ts", "cli/client.ts", "tools/build/main.ts"]) {
    const { modules } = JSON.parse(await denoOutput(["info", "--json", entry])) as {
      modules: { local?: string }[];
    };
    const own = modules.flatMap(({ local }) =>
      local?.startsWith(REPOSITORY) ? [local.slice(REPOSITORY.length)] : []
    );
    assert.ok(own.length > 0);
    assert.deepEqual(own.filter((path) => !isInside(path)), []);
  }
  for (const path of ["deno.json", "deno.lock"]) assert.ok(isInside(path));
  const copied = all(image, "COPY").filter((rest) => !rest.includes("--from="));
  assert.ok(copied.length > 0);
  for (const rest of copied) {
    const sources = rest.split(" ").filter((word) => !word.startsWith("--")).slice(0, -1);
    for (const source of sources) assert.ok(isInside(source) && existsSync(join(REPOSITORY, source)), source);
  }
});

Deno.test("the image listens on TCP 0.0.0.0:8085, keeps its data in /data and runs as 10001", () => {
  const from = { configPath: undefined, env: (name: string) => variables[name] };
  const server = loadServerSettings(from).settings;
  assert.deepEqual(server.listen, { transport: "tcp", hostname: "0.0.0.0", port: 8085 });
  assert.equal(server.dataDir, "/data");
  const source = (name: string): string | undefined =>
    name === settings.backup.sourceUrl.variable ? "http://example.org" : variables[name];
  const backup = loadBackupSettings({ configPath: undefined, env: source }).settings;
  assert.deepEqual(commandOf(one(image, "VOLUME")), [server.dataDir, backup.dataDir]);
  assert.equal(one(image, "EXPOSE"), "8085");
  assert.equal(one(image, "USER"), "10001:10001");
  assert.equal(one(image, "STOPSIGNAL"), "SIGTERM");
  const known = ["server", "backup"] as const;
  const names = known.flatMap((section) => settingsOf(section).map(([, { variable }]) => variable));
  const { port } = server.listen;
  const { EVENTSTORE_URL: url, ...settingVariables } = variables;
  assert.equal(url, `http://127.0.0.1:${port}`, "where the client looks");
  for (const name of Object.keys(settingVariables)) assert.ok(names.includes(name), name);
});
