import assert from "node:assert/strict";
import { join } from "node:path";
import { programs } from "../../cli/programs.ts";
import { loadBackupSettings, loadServerSettings } from "../../src/config/load.ts";
import { defaultConfigText } from "../../src/config/print.ts";
import { packagedConfigText } from "../../tools/packaging/config_toml.ts";
import { controlText } from "../../tools/packaging/debian_control.ts";
import { packagedFiles } from "../../tools/packaging/packaged_files.ts";
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

Deno.test("every path of the package's documentation that the pages name is in the package", async () => {
  const executables = await Deno.makeTempDir();
  try {
    for (const { name } of programs) await Deno.writeTextFile(join(executables, name), "");
    const files = (await packagedFiles(executables, "")).map(({ path }) => `/${path}`);
    const pages = files.map((path) => /^\/usr\/share\/doc\/eventstore\/(.+\.md)$/.exec(path)?.[1]);
    let count = 0;
    for (const page of pages.filter((page) => page !== undefined)) {
      const text = await Deno.readTextFile(new URL(`../../${page}`, import.meta.url));
      for (const [path] of text.matchAll(/\/usr\/share\/doc\/eventstore[\w./-]*/g)) {
        count++;
        assert.ok(
          files.some((file) => file === path || file.startsWith(`${path.replace(/\/$/, "")}/`)),
          `${page}: ${path}`,
        );
      }
    }
    assert.ok(count >= 2, `only ${count} paths`);
  } finally {
    await Deno.remove(executables, { recursive: true });
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
