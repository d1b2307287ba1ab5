import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { bundle, inModules } from "../../../tools/build/bundle.ts";
import { compile, NoBaseError } from "../../../tools/build/compiled.ts";
import { targetOf } from "../../../tools/build/target.ts";
import { explainDownload } from "../support/download.ts";
import { runDeno } from "../../support/run_command.ts";

/*
 * The input of `deno compile`. Its base is not available everywhere, so these tests use the runtime in its place: the
 * result holds everything that the real one holds, but does not start the program.
 */

const server = await bundle("main.ts").catch(explainDownload("the bundler"));

async function inDirectory(
  run: (directory: string) => Promise<void>,
  env: Record<string, string>,
): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "eventstore_test_" });
  const before = Object.keys(env).map((name) => [name, Deno.env.get(name)] as const);
  try {
    for (const [name, value] of Object.entries(env)) Deno.env.set(name, value);
    await run(directory);
  } finally {
    for (const [name, value] of before) {
      value === undefined ? Deno.env.delete(name) : Deno.env.set(name, value);
    }
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("a compiled server holds its modules, its workers and no permission beyond its task's", async () => {
  await inDirectory(async (directory) => {
    const path = join(directory, "server");
    await compile("server", targetOf("aarch64-unknown-linux-gnu"), server, path);
    const bytes = Buffer.from(await Deno.readFile(path));
    const added = bytes.subarray(-8_000_000);
    const modules = inModules("eventstore-server.js", server);
    assert.deepEqual([...modules.keys()].sort(), [
      "eventstore-server.js",
      "preload_worker.js",
      "reader_worker.js",
      "ticket_decoding_worker.js",
      "tx_decoding_worker.js",
      "write_decoding_worker.js",
      "writer_worker.js",
    ]);
    for (const [name, text] of modules) assert.ok(added.includes(text), `${name} is not in it`);
    const start = added.indexOf('{"argv":');
    const metadata = added.subarray(start, start + 4000).toString("latin1");
    const granted = [...metadata.matchAll(/"(allow_\w+)":(\[[^\]]*\])/g)].map((
      [, name, value],
    ) => [name, value]);
    // The runtime always writes down where imports may come from; nothing is imported.
    assert.deepEqual(granted.filter(([name]) => name !== "allow_import"), [
      ["allow_env", "[]"],
      ["allow_net", "[]"],
      ["allow_read", "[]"],
      ["allow_sys", "[]"],
      ["allow_write", "[]"],
    ]);
    for (
      const nothing of ['"ca_data":null', '"prompt":false', '"code_cache_key":null', '"node_modules":null']
    ) {
      assert.ok(metadata.includes(nothing), `${nothing} is not in ${metadata}`);
    }
    const again = join(directory, "again");
    await compile("server", targetOf("aarch64-unknown-linux-gnu"), server, again);
    assert.ok(bytes.equals(await Deno.readFile(again)), "two builds differ");
  }, { DENORT_BIN: Deno.execPath(), DENO_CERT: "/not/embedded" });
});

Deno.test("when the base cannot be downloaded the error says how to provide it", async () => {
  await inDirectory(async (directory) => {
    Deno.env.set("DENO_DIR", directory); // Without what was downloaded before.
    const target = targetOf("aarch64-apple-darwin");
    const made = compile("server", target, server, join(directory, "server"));
    await assert.rejects(made, (error: Error) => {
      assert.ok(error instanceof NoBaseError, error.message);
      assert.match(error.message, /denort-aarch64-apple-darwin of Deno \d+\.\d+\.\d+/);
      assert.match(error.message, /DENORT_BIN/);
      return true;
    });
  }, { HTTPS_PROXY: "http://127.0.0.1:1", DENO_DIR: "" });
});

Deno.test("a given base that is invalid is an error, not a reason to build in another way", async () => {
  await inDirectory(async (directory) => {
    const made = compile("server", targetOf(Deno.build.target), server, join(directory, "server"));
    await assert.rejects(
      made,
      (error: Error) => !(error instanceof NoBaseError) && /nowhere/.test(error.message),
    );
  }, { DENORT_BIN: "/nowhere/denort" });
});

Deno.test("an executable that does not print its version is not given its name", async () => {
  await inDirectory(async (directory) => {
    const cwd = new URL("../../../", import.meta.url);
    const { code, stdout: printed } = await runDeno(["task", "--quiet", "build", "--out", directory], {
      cwd,
    });
    assert.equal(code, 1);
    assert.match(printed, /is not eventstore-server [\d.]+: --version prints "deno .*DENORT_BIN/s);
    assert.deepEqual([...Deno.readDirSync(directory)], []);
  }, { DENORT_BIN: Deno.execPath() });
});
