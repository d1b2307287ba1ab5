import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { executableName, PROGRAM_NAMES, REPOSITORY } from "../../../tools/build/program_task.ts";
import { targetOf } from "../../../tools/build/target.ts";
import { VERSION } from "../../../src/config/version.ts";
import { type DebianProgram, debianTest } from "../support/debian_program.ts";
import { pageBlock, replacePart } from "../../support/page_block.ts";
import { runCommand } from "../../support/run_command.ts";

/* The release workflow cannot run here, but its parts can. */

const WORKFLOW = ".github/workflows/release.yml";
const TAG = `v${VERSION}`;

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
}

interface Job {
  readonly needs?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: { readonly include: readonly Readonly<Record<string, string>>[] } };
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: { readonly build: Job; readonly release: Job };
}

interface Ended {
  readonly code: number;
  readonly output: string;
}

async function run(
  command: readonly string[],
  cwd: string | URL,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const { code, stdout, stderr } = await runCommand(command, { cwd, env: { ...env } });
  return { code, output: stdout + stderr };
}

/** Runs the script of a step as the runner does, for one row of the matrix. */
async function runStep(
  job: Job,
  name: string,
  cwd: string,
  row: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const script = job.steps.find((step) => step.name === name)?.run;
  assert.ok(script !== undefined, `no step "${name}"`);
  return await run(["bash", "-e", "-c", filledIn(script, row)], cwd, { GITHUB_REF_NAME: TAG });
}

function filledIn(script: string, row: Readonly<Record<string, string>>): string {
  return script.replaceAll(
    /\$\{\{ matrix\.(\w+) \}\}/g,
    (_, key) => row[key] ?? assert.fail(`no matrix.${key}`),
  );
}

/** Stand-ins for what a build makes: each prints its version. */
function makeDist(directory: string): void {
  Deno.mkdirSync(join(directory, "dist"));
  for (const name of PROGRAM_NAMES.map(executableName)) {
    Deno.writeTextFileSync(join(directory, "dist", name), `#!/bin/sh\necho ${name} ${VERSION}\n`, {
      mode: 0o755,
    });
  }
}

await debianTest(
  ["yamllint", "curl"],
  "the release workflow builds, tests, names, sums and attaches what there is",
  async ({ yamllint, curl }) => {
    const PYTHONPATH = join(yamllint.root, "usr/lib/python3/dist-packages");
    const path = fileURLToPath(new URL(WORKFLOW, REPOSITORY));
    const rules = "{extends: relaxed, rules: {line-length: disable}}";
    const linted = await run(["python3", "-m", "yamllint", "--strict", "-d", rules, path], "/", {
      PYTHONPATH,
    });
    assert.deepEqual(linted, { code: 0, output: "" });
    const toJson = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))";
    const { output } = await run(["python3", "-c", toJson, path], "/", { PYTHONPATH });
    const { permissions, jobs } = JSON.parse(output) as Workflow;

    assert.deepEqual(permissions, { contents: "read" });
    assert.deepEqual(jobs.build.permissions, undefined);
    assert.deepEqual([jobs.release.needs, jobs.release.permissions], ["build", { contents: "write" }]);
    await assertCommandsExist(jobs);
    await assertPartsWork(jobs, curl);
  },
);

/** Asserts that every command exists in the repository, in the versions that it uses everywhere. */
async function assertCommandsExist({ build, release }: Workflow["jobs"]): Promise<void> {
  const { tasks } = JSON.parse(Deno.readTextFileSync(new URL("deno.json", REPOSITORY))) as { tasks: object };
  const ci = Deno.readTextFileSync(new URL(".ci/run", REPOSITORY));
  const rows = build.strategy!.matrix.include;
  assert.ok(rows.length >= 3);
  for (const { target, tests } of rows) {
    assert.equal(targetOf(target!).triple, target);
    assert.ok(Deno.statSync(new URL(tests!, REPOSITORY)));
  }
  for (const { run: script, uses } of [...build.steps, ...release.steps]) {
    assert.notEqual(script === undefined, uses === undefined);
    if (script === undefined) continue;
    // Names that others choose, such as a tag's, come as variables, never as a part of a script.
    assert.doesNotMatch(script, /\$\{\{ (?!matrix\.)/);
    const checked = await run(["bash", "-n", "-c", filledIn(script, rows[0]!)], "/");
    assert.deepEqual(checked, { code: 0, output: "" });
    for (const [command, task] of script.matchAll(/npx --yes deno@[\d.]+ task (\S+)/g)) {
      assert.ok(task! in tasks, `no task ${task}`);
      assert.ok(ci.includes(command.split(" task")[0]!), `${command}: another version than in .ci/run`);
    }
  }
}

async function assertPartsWork({ build, release }: Workflow["jobs"], curl: DebianProgram): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "eventstore_test_" });
  try {
    makeDist(directory);
    assert.equal((await runStep(build, "Check that the tag is the version", directory)).code, 0);
    for (const row of build.strategy!.matrix.include) {
      assert.deepEqual(await runStep(build, "Name the files", directory, row), { code: 0, output: "" });
      // Each machine has a directory of its own; the last job has them all in one.
      await run(["sh", "-c", "mkdir -p all && mv files/* all/ && rmdir files"], directory);
    }
    Deno.renameSync(join(directory, "all"), join(directory, "files"));
    assert.deepEqual(await runStep(release, "Write checksums", directory), { code: 0, output: "" });
    const files = [...Deno.readDirSync(join(directory, "files"))].map(({ name }) => name);
    assert.equal(files.length, build.strategy!.matrix.include.length * PROGRAM_NAMES.length + 1);
    const sums = await run(["sha256sum", "-c", "--strict", "SHA256SUMS"], join(directory, "files"));
    assert.equal(sums.output.match(/: OK$/gm)?.length, files.length - 1);
    await assertInstalls(directory, curl);

    Deno.writeTextFileSync(
      join(directory, "dist/eventstore-server"),
      "#!/bin/sh\necho eventstore-server 0.0.0\n",
    );
    assert.equal((await runStep(build, "Check that the tag is the version", directory)).code, 1);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** Asserts that the commands of install.md install the files, unless one was changed on the way. */
async function assertInstalls(directory: string, curl: DebianProgram): Promise<void> {
  const page = pageBlock(
    "install.md",
    "# Downloads, checks and installs the four executables of a release.",
  );
  let script = page.replace(/from=\S+/, `from="file://${directory}/files"`).replace(/tag=\S+/, `tag=${TAG}`);
  script = replacePart(script, "/usr/local/bin/", `${directory}/bin/`).replaceAll("curl -", `${curl.path} -`);
  const [down, bin] = [join(directory, "down"), join(directory, "bin")];
  for (const path of [down, bin]) Deno.mkdirSync(path);
  const installed = await run(["sh", "-c", script], down, curl.environment);
  assert.equal(installed.code, 0, installed.output);
  for (const name of PROGRAM_NAMES.map(executableName)) {
    assert.equal((await run([join(bin, name)], "/")).output, `${name} ${VERSION}\n`);
  }
  for (const { name } of Deno.readDirSync(bin)) Deno.removeSync(join(bin, name));
  const changed = join(directory, `files/eventstore-init-${TAG}-x86_64-unknown-linux-gnu`);
  Deno.writeTextFileSync(changed, "\n", { append: true });
  assert.notEqual((await run(["sh", "-c", script], down, curl.environment)).code, 0);
  assert.deepEqual([...Deno.readDirSync(bin)], []);
}
