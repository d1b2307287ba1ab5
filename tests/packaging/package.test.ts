import assert from "node:assert/strict";
import { loadBackupSettings, loadServerSettings } from "../../src/config/load.ts";
import { defaultConfigText } from "../../src/config/print.ts";
import { packagedConfigText } from "../../tools/packaging/config_toml.ts";
import { controlText } from "../../tools/packaging/debian_control.ts";
import { BACKUP_DIRECTORY, DATA_DIRECTORY } from "../../tools/packaging/paths.ts";
import { runPackageTask } from "./package_task.ts";

Deno.test("the packaged configuration is the starter file with the directories of the package", async () => {
  const path = await Deno.makeTempFile({ suffix: ".toml" });
  try {
    const text = packagedConfigText();
    await Deno.writeTextFile(path, `${text}sourceSocket = "/run/service/service.sock"\n`);
    const from = { configPath: path, env: () => undefined };
    assert.equal(loadServerSettings(from).settings.dataDir, DATA_DIRECTORY);
    assert.equal(loadBackupSettings(from).settings.dataDir, BACKUP_DIRECTORY);
    const settingLines = (toml: string): string[] => toml.split("\n").filter((line) => /^#?\w+ =/.test(line));
    const changed = settingLines(text).filter((line) => !settingLines(defaultConfigText()).includes(line));
    assert.deepEqual(changed, [`dataDir = "${DATA_DIRECTORY}"`, `dataDir = "${BACKUP_DIRECTORY}"`]);
    assert.equal(settingLines(text).length, settingLines(defaultConfigText()).length);
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("the package suggests PostgreSQL, and needs none", () => {
  const facts = { architecture: "amd64", maintainer: "A <a@example.org>", installedKibibytes: 1 } as const;
  const fields = new Map(
    [...controlText(facts).matchAll(/^([A-Z][\w-]+): (.*)$/gm)].map(([, k, v]) => [k, v]),
  );
  assert.equal(fields.get("Suggests"), "postgresql (>= 13)");
  assert.doesNotMatch(fields.get("Depends")!, /postgres/);
});

Deno.test("the task says what is missing when there are no executables", async () => {
  const { code, stderr } = await runPackageTask(["--from", "/nowhere", "--to", "/nowhere"]);
  assert.equal(code, 1);
  assert.match(stderr, /\/nowhere.*deno task build/);
});
