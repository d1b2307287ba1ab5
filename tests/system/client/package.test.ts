import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { npmPackage } from "../../../tools/client/npm_package.ts";
import { run } from "../../../tools/build/run.ts";
import { placeOf, startTestServer } from "../../client/support.ts";
import { runCommand } from "../../support/run_command.ts";
import { freePort } from "../../support/free_port.ts";
import { madeOnce } from "../support/made_once.ts";
import { needingTest } from "../../support/needing_test.ts";
import { packedClient } from "../support/packed_client.ts";

/*
 * The npm package of the client, installed as a user would, on the runtimes that it is for.
 */

const BUN = "bun@1.3.0";
const VITEST = "vitest@3.2.4";

/** The oldest version that docs/client.md names. */
const TYPESCRIPT = "typescript@5.0.4";

const directory = await Deno.makeTempDir({ prefix: "eventstore_client_test_" });
const tarball = await packedClient();
await Deno.writeTextFile(join(directory, "package.json"), '{ "type": "module", "private": true }');
const INSTALL = ["install", "--no-audit", "--no-fund", "--loglevel=error"];
await run("npm", [...INSTALL, "--offline", tarball], { cwd: directory });
for (const file of ["runtime_check.js", "mirror_check.js"]) {
  await Deno.copyFile(new URL(file, import.meta.url), join(directory, file));
}
await Deno.writeTextFile(
  join(directory, "main.js"),
  `import process from "node:process";
import * as client from "eventstore-client";
import { Connections } from "eventstore-client/connections";
import * as schemas from "eventstore-client/schemas";
import { check, checkSchemas } from "./runtime_check.js";
const { closed, ...place } = JSON.parse(process.argv[2]);
await checkSchemas(client, schemas, place);
console.log(await check(client, { ...place, closed }));
const transport = new Connections(place);
console.log(await check(client, { transport, closed: { transport: new Connections(closed), ...closed } }));
`,
);
globalThis.addEventListener("unload", () => Deno.removeSync(directory, { recursive: true }));

/** Links the runtimes and tools into the directory of the package, from the cache. @returns why they are missing */
async function linkTools(): Promise<string | undefined> {
  const tools = [BUN, VITEST, TYPESCRIPT];
  let made;
  try {
    made = await madeOnce(`npm-${tools.join("-")}`, [], async (cache) => {
      await Deno.mkdir(cache, { recursive: true });
      await Deno.writeTextFile(join(cache, "package.json"), '{ "private": true }');
      await run("npm", [...INSTALL, ...tools], { cwd: cache });
    });
  } catch (error) {
    if (!/^\w*Error: npm install /.test(String(error))) throw error;
    return `npm cannot install ${tools.join(", ")}: ${String(error).split("\n")[1]}`;
  }
  for (const { name } of Deno.readDirSync(join(made, "node_modules"))) {
    if (name === ".package-lock.json") continue;
    await Deno.symlink(join(made, "node_modules", name), join(directory, "node_modules", name));
  }
  return undefined;
}

const missing = await linkTools();

/** Runs the check over TCP and over a unix socket; the process must end by itself. */
async function checkOn(program: string, ...args: string[]): Promise<void> {
  for (const listen of ["tcp", "unix"] as const) {
    await using server = await startTestServer(listen);
    const closed = listen === "tcp"
      ? { url: `http://127.0.0.1:${freePort()}` }
      : { socketPath: join(directory, "nowhere.sock") };
    const place = JSON.stringify({ ...placeOf(server.address), closed });
    assert.equal(
      await run(program, [...args, join(directory, "main.js"), place], { cwd: directory }),
      "9\n9\n",
    );
  }
}

/** Runs the check of the module `mirror` with a driver of SQLite. */
async function checkMirrorOn(driver: string, program: string, ...args: string[]): Promise<void> {
  await using server = await startTestServer();
  const place = JSON.stringify(placeOf(server.address));
  const command = [...args, join(directory, "mirror_check.js"), driver, place];
  assert.equal(await run(program, command, { cwd: directory }), "one,two\n");
}

Deno.test("Deno uses the package", async () => {
  await checkOn(
    Deno.execPath(),
    "run",
    "--quiet",
    "--no-prompt",
    "--allow-net",
    "--allow-read",
    "--allow-write",
  );
  await checkMirrorOn("node:sqlite", Deno.execPath(), "run", "--quiet", "--no-prompt", "--allow-net");
});

Deno.test("an example runs with the package as it is", async () => {
  const name = "course_subscriptions.ts";
  await Deno.copyFile(new URL(`../../../examples/${name}`, import.meta.url), join(directory, name));
  await using server = await startTestServer();
  const { url } = placeOf(server.address);
  const printed = await run(
    Deno.execPath(),
    ["run", "--quiet", "--no-prompt", "--allow-net", join(directory, name), url!],
    { cwd: directory },
  );
  assert.match(printed, /^Ada has a seat\n/);
});

Deno.test("Node uses the package", async () => {
  assert.match(await run("node", ["--version"]), /^v(2\d|[3-9]\d)\./);
  await checkOn("node");
});

needingTest("Bun uses the package", { missing, excused: false }, async () => {
  await checkOn(join(directory, "node_modules/.bin/bun"), "run");
  await checkMirrorOn("bun:sqlite", join(directory, "node_modules/.bin/bun"), "run");
});

/** A test of a decision, for the runner from this module, and one that fails. */
const testFor = (runner: string): string => `
import { test } from "${runner}";
import { given } from "eventstore-client/testing";

const taken = { type: "SeatTaken", identifiers: { show: "s1" }, payload: { by: "Ada" } };
const takeSeat = (store) =>
  store.decide({ query: "*", initial: 0, apply: (taken) => taken + 1 }, (count) => {
    if (count > 0) throw new RangeError("sold out");
    return taken;
  });
test("a seat is taken", () => given([]).when(takeSeat).then(taken));
test("no seat is left", () => given([taken]).when(takeSeat).then(RangeError));
test("a wrong expectation", () => given([]).when(takeSeat).then({ ...taken, payload: { by: "Bob" } }));
`;

/** Runs the tests, of which one fails, and compares the message of that one. */
async function assertRuns(program: string, ...args: string[]): Promise<void> {
  const { code, stdout, stderr } = await runCommand([program, ...args], { cwd: directory });
  const said = stdout + stderr;
  assert.equal(code, 1, said);
  assert.match(said, /(pass|Tests .*) 2|2 passed/, said);
  assert.match(said, /- +"by": "Bob"\n[^"]*\+ +"by": "Ada"/, said);
}

Deno.test("Node's test runner runs tests with the module for tests", async () => {
  await Deno.writeTextFile(join(directory, "node.test.js"), testFor("node:test"));
  await assertRuns("node", "--test", join(directory, "node.test.js"));
});

needingTest(
  "Vitest runs tests with the module for tests",
  { missing, excused: false },
  async () => {
    await Deno.writeTextFile(join(directory, "vitest.test.js"), testFor("vitest"));
    await assertRuns(join(directory, "node_modules/.bin/vitest"), "run", "vitest.test.js");
  },
);

Deno.test("the types of the package are those of the sources", async () => {
  await Deno.writeTextFile(
    join(directory, "types.ts"),
    `import { type DecisionModel, EventStore, type StoredEvent } from "eventstore-client";
interface Events { Counted: { by: number }; Named: { name: string } }
const store = new EventStore<Events>({ url: "http://127.0.0.1" });
const total: DecisionModel<Events, number> = {
  query: { types: ["Counted"] },
  initial: 0,
  apply: (sum, event) => event.type === "Counted" ? sum + event.payload.by : sum,
};
const decided = store.decide({ total }, ({ total }) => ({ type: "Counted", payload: { by: total } }));
const event = null as unknown as StoredEvent<Events>;
if (event.type === "Named") console.log(event.payload.name, (await decided).position.sequence);
// @ts-expect-error There is no such type of events.
store.append({ type: "Unknown", payload: {} });
// @ts-expect-error The payload is another one.
store.append({ type: "Named", payload: { by: 1 } });
`,
  );
  await run(Deno.execPath(), ["check", "--quiet", "types.ts"], { cwd: directory });
});

Deno.test("the package holds modules, types and source maps with their sources, and nothing of this machine", async () => {
  const files = join(directory, "node_modules/eventstore-client");
  const names = [...Deno.readDirSync(files)].map(({ name }) => name);
  for (const name of ["README.md", "package.json", "mod.js", "mod.js.map", "mod.d.ts"]) {
    assert.ok(names.includes(name), name);
  }
  for (const name of names.filter((name) => name.endsWith(".map"))) {
    const { sources, sourcesContent, mappings } = JSON.parse(await Deno.readTextFile(join(files, name)));
    assert.deepEqual(sources, [`./${name.replace(".js.map", ".ts")}`]);
    // A module of types alone has no code.
    if (mappings !== "") assert.equal(sourcesContent.length, 1, name);
  }
  const other = await Deno.makeTempDir({ dir: directory });
  const again = await npmPackage(other);
  assert.deepEqual(await Deno.readFile(again), await Deno.readFile(tarball));
  const all = await run("tar", ["-xOzf", tarball]);
  for (const path of [fileURLToPath(new URL("../../../", import.meta.url)), directory, "file://"]) {
    assert.ok(!all.includes(path), path);
  }
});

needingTest(
  "the types of all modules are right for the oldest TypeScript",
  { missing, excused: false },
  async () => {
    const modules = ["", "/connections", "/mirror", "/schemas", "/testing"];
    const program = modules.map((name, i) => `export * as m${i} from "eventstore-client${name}";\n`).join("");
    await Deno.writeTextFile(join(directory, "types.ts"), program);
    const lib = ["es2022", "dom", "dom.iterable"];
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: "es2022",
      module: "nodenext",
      lib,
      types: [],
    };
    await Deno.writeTextFile(
      join(directory, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["types.ts"] }),
    );
    const { stdout } = await runCommand([join(directory, "node_modules/.bin/tsc")], { cwd: directory });
    assert.equal(stdout, "");
  },
);
