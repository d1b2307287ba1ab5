import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { npmPackage } from "../../../tools/client/npm_package.ts";
import { run } from "../../../tools/build/run.ts";
import { placeOf, startTestServer } from "../../client/support.ts";
import { freePort } from "../../support/free_port.ts";
import { needingTest } from "../support/needing_test.ts";

/*
 * The npm package of the client, installed as a user would, on the runtimes that it is for.
 */

const BUN = "bun@1.3.0";

const directory = await Deno.makeTempDir({ prefix: "eventstore_client_test_" });
const tarball = await npmPackage(directory);
await Deno.writeTextFile(join(directory, "package.json"), '{ "type": "module", "private": true }');
const INSTALL = ["install", "--no-audit", "--no-fund", "--loglevel=error"];
await run("npm", [...INSTALL, "--offline", tarball], { cwd: directory });
await Deno.copyFile(new URL("runtime_check.js", import.meta.url), join(directory, "runtime_check.js"));
await Deno.writeTextFile(
  join(directory, "main.js"),
  `import process from "node:process";
import * as client from "eventstore-client";
import * as schemas from "eventstore-client/schemas";
import { check, checkSchemas } from "./runtime_check.js";
const place = JSON.parse(process.argv[2]);
await checkSchemas(client, schemas, place);
console.log(await check(client, place));
`,
);
globalThis.addEventListener("unload", () => Deno.removeSync(directory, { recursive: true }));

/** Runs the check over TCP and over a unix socket; the process must end by itself. */
async function checkOn(program: string, ...args: string[]): Promise<void> {
  for (const listen of ["tcp", "unix"] as const) {
    await using server = await startTestServer(listen);
    const closed = listen === "tcp"
      ? { url: `http://127.0.0.1:${freePort()}` }
      : { socketPath: join(directory, "nowhere.sock") };
    const place = JSON.stringify({ ...placeOf(server.address), closed });
    assert.equal(await run(program, [...args, join(directory, "main.js"), place], { cwd: directory }), "9\n");
  }
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

const missing = await run("npm", [...INSTALL, BUN], { cwd: directory }).then(
  () => undefined,
  () => `${BUN} cannot be fetched from npm`,
);
needingTest("Bun uses the package", { missing, excused: false }, async () => {
  await checkOn(join(directory, "node_modules/.bin/bun"), "run");
});

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
