import assert from "node:assert/strict";
import { join } from "node:path";
import { VERSION } from "../../../src/config/version.ts";
import { run } from "../../../tools/build/run.ts";
import { emmettPackage } from "../../../tools/client/npm_package.ts";
import { placeOf } from "../../client/support.ts";
import { pageBlocks } from "../../docs/page_blocks.ts";
import { runDeno } from "../../support/run_command.ts";
import { sharedServer } from "../../support/server_process.ts";
import { needingTest } from "../../support/needing_test.ts";
import { packedClient } from "../support/packed_client.ts";
import { COMMAND_RULES } from "./emmett_command_rules.ts";
import { STREAM_RULES } from "./emmett_rules.ts";

/* The npm package emmett-eventstore, installed as a user would: Emmett's rules on Node, the examples of the page. */

const EMMETT = "@event-driven-io/emmett";
const ADAPTER = new URL("../../../integrations/emmett/", import.meta.url);
const INSTALL = ["install", "--no-audit", "--no-fund", "--loglevel=error"];

const server = sharedServer({ listen: "tcp", listenOnly: true });
const directory = await Deno.makeTempDir({ prefix: "eventstore_emmett_" });
globalThis.addEventListener("unload", () => Deno.removeSync(directory, { recursive: true }));

/** Installs both packages, and Emmett in the version that the project names. @returns what is missing, if anything */
async function install(): Promise<string | undefined> {
  const { imports } = JSON.parse(await Deno.readTextFile(new URL("../../../deno.json", import.meta.url)));
  await Deno.writeTextFile(join(directory, "package.json"), '{ "type": "module", "private": true }');
  try {
    const emmett = imports[EMMETT].replace(/^npm:/, "");
    const client = await packedClient();
    const packages = [client, await emmettPackage(directory, client), emmett];
    await run("npm", [...INSTALL, ...packages], { cwd: directory });
  } catch (error) {
    if (!/^\w*Error: npm install /.test(String(error))) throw error;
    return `npm cannot install Emmett: ${String(error).split("\n")[1]}`;
  }
  return undefined;
}

const missing = await install();

function packageTest(name: string, test: () => Promise<void>): void {
  needingTest(name, { missing, excused: false }, test);
}

packageTest("on Node, the package keeps Emmett's rules", async () => {
  for (const name of ["emmett_rules", "emmett_command_rules"]) {
    const source = new URL(`${name}.ts`, import.meta.url).pathname;
    const options = ["--quiet", "--platform", "deno", "--external", EMMETT];
    await run(Deno.execPath(), ["bundle", ...options, "--output", join(directory, `${name}.js`), source]);
  }
  await Deno.writeTextFile(
    join(directory, "main.js"),
    `import { getEventStore } from "emmett-eventstore";
import { EventStore } from "eventstore-client";
import { COMMAND_RULES } from "./emmett_command_rules.js";
import { STREAM_RULES } from "./emmett_rules.js";
const make = (options) => getEventStore(new EventStore({ url: process.argv[2] }), options);
for (const [rule, check] of Object.entries({ ...STREAM_RULES, ...COMMAND_RULES })) {
  await check(make);
  console.log(rule);
}
`,
  );
  const { url } = placeOf(server.address);
  const printed = await run("node", [join(directory, "main.js"), url!], { cwd: directory });
  assert.deepEqual(printed.trimEnd().split("\n"), Object.keys({ ...STREAM_RULES, ...COMMAND_RULES }));
});

/** A program of the documentation, and what the page says that it prints. */
interface Program {
  readonly file: string;
  readonly text: string;
  readonly prints?: string;
}

/** The programs of the page. Their first lines name their files, which import each other. */
function pagePrograms(): Program[] {
  const blocks = pageBlocks("emmett.md");
  return blocks.flatMap(({ language, text }, i) => {
    const next = blocks[i + 1];
    if (language !== "ts") return [];
    const file = /^\/\/ (\w+\.ts)\n/.exec(text)![1]!;
    return [{ file, text, prints: next?.language === "text" ? next.text : "" }];
  });
}

/** The examples of the README and of the docstrings. */
function otherPrograms(): Program[] {
  const names = [...Deno.readDirSync(ADAPTER)].map(({ name }) => name).sort();
  const texts = names.flatMap((name) =>
    [...Deno.readTextFileSync(new URL(name, ADAPTER)).matchAll(/^( \* |)```ts\n(.*?)^\1```$/gms)]
      .map(([, margin, code]) => code!.split("\n").map((line) => line.slice(margin!.length)).join("\n"))
  );
  return texts.map((text, i) => ({ file: `example_${i}.ts`, text }));
}

packageTest("the examples of the documentation compile, run, and print what the page says", async () => {
  const { url } = placeOf(server.address);
  const programs = [...pagePrograms(), ...otherPrograms()];
  assert.equal(programs.length, 5 + 5);
  for (const { file, text } of programs) {
    await Deno.writeTextFile(join(directory, file), text.replaceAll("http://127.0.0.1:8085", url!));
  }
  const compilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noPropertyAccessFromIndexSignature: true,
  };
  await Deno.writeTextFile(
    join(directory, "deno.json"),
    JSON.stringify({ nodeModulesDir: "manual", compilerOptions }),
  );
  const files = programs.map(({ file }) => file);
  const checked = await runDeno(["check", "--quiet", ...files], { cwd: directory });
  assert.equal(checked.code, 0, checked.stderr);
  for (const { file, prints } of programs) {
    const { code, stdout, stderr } = await runDeno(["run", "--quiet", "--allow-all", file], {
      cwd: directory,
    });
    assert.equal(code, 0, `${file}: ${stderr}`);
    if (prints !== undefined) assert.equal(stdout, prints, file);
  }
});

packageTest("the package has the server's version, types, and nothing of this machine", async () => {
  const tarball = join(directory, `emmett-eventstore-${VERSION}.tgz`);
  const { version, peerDependencies } = JSON.parse(
    await run("tar", ["-xzOf", tarball, "package/package.json"]),
  );
  assert.equal(version, VERSION);
  assert.equal(peerDependencies["eventstore-client"], `^${VERSION}`);
  const names = (await run("tar", ["-tzf", tarball])).split("\n");
  for (const name of ["README.md", "mod.js", "mod.js.map", "mod.d.ts"]) {
    assert.ok(names.includes(`package/${name}`), name);
  }
  const all = await run("tar", ["-xOzf", tarball]);
  for (const path of [new URL("../../../", import.meta.url).pathname, directory, "file://"]) {
    assert.ok(!all.includes(path), path);
  }
});
