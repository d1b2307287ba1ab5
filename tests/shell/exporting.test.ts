import assert from "node:assert/strict";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { ExportDirectory } from "../../src/shell/parquet/export_directory.ts";
import { columnsOf } from "../../src/shell/parquet/event_columns.ts";
import { inDirectory, namesIn } from "../support/directory.ts";
import { sharedServer } from "../support/server_process.ts";
import { Shell } from "./shell_address.ts";

const server = sharedServer();

const noted = (course: string): unknown => ({ type: "Noted", identifiers: { course }, payload: "{}" });

/** The rows of all files in a directory. */
async function rowsIn(directory: string): Promise<Record<string, unknown>[]> {
  const files = namesIn(directory).filter((name) => name.endsWith(".parquet"));
  const rows = files.map(async (name) => {
    const { buffer } = await Deno.readFile(join(directory, name));
    return await parquetReadObjects({ file: buffer });
  });
  return (await Promise.all(rows)).flat();
}

Deno.test("export writes each event to one file, and continues after the last file", async () => {
  const shell = new Shell(server.address);
  await inDirectory(async (parent) => {
    const directory = join(parent, "warehouse", "events");
    const run = ["export", "--parquet", directory];
    assert.equal(await shell.prints(run), "");
    await server.client().append(noted("c1"), noted("c2"));
    assert.equal(await shell.prints(run), "events-000000000001-000000000002.parquet: 2 events\n");
    assert.equal(await shell.prints(run), "");
    await server.client().append(noted("c3"));
    const file = "events-000000000003-000000000003.parquet";
    // A process that was killed leaves a part of a file.
    await Deno.writeTextFile(join(directory, `${file}.4711.new`), "PAR1");
    assert.deepEqual(JSON.parse(await shell.prints([...run, "--json"])), { file, events: 1 });
    const rows = (await rowsIn(directory)).map(({ sequence, tag_course, payload }) => [
      sequence,
      tag_course,
      payload,
    ]);
    assert.deepEqual(rows, [[1n, "c1", {}], [2n, "c2", {}], [3n, "c3", {}]]);
    assert.deepEqual(namesIn(directory), [
      "events-000000000001-000000000002.parquet",
      file,
      "export.lock",
    ]);
  });
});

Deno.test("export does not mix stores, nor writes where another export does, nor continues a foreign file", async () => {
  const shell = new Shell(server.address);
  await inDirectory(async (directory) => {
    const run = ["export", "--parquet", directory];
    await server.client().append(noted("c1"));
    await shell.prints(run);
    const names = namesIn(directory);
    {
      using _ = new ExportDirectory(directory);
      await shell.fails(run, 1, /: another export writes to this directory$/m);
    }
    await server.client().reset();
    await server.client().append(noted("c2"));
    await shell.fails(run, 3, / has events of store [-0-9a-f]{36}; .*: choose another directory$/m);
    assert.deepEqual(namesIn(directory), names);
    await Deno.writeTextFile(join(directory, "events-2-3.parquet"), "something else");
    await shell.fails(run, 1, /events-2-3\.parquet is no file of an export: /);
    await shell.fails(["export"], 2, /--parquet/);
  });
});

Deno.test("each name of a tag has a column, and payloads that are not JSON have another one", () => {
  const event = { sequence: 1, time: "2026-11-20T19:07:36.048101Z", type: "Noted", metadata: {} };
  const columns = columnsOf([
    { ...event, identifiers: { course: "c1", student: ["s1", "s2"] }, payload: '{"n":1.0}' },
    { ...event, identifiers: { course: "[c]", type: "t" }, metadata: { course: "m" }, payload: "text" },
    { ...event, identifiers: { student: "s3" }, payload: "", forgotten: ["student"] },
  ]);
  const micros = 1_795_201_656_048_101n;
  assert.deepEqual(columns.map(({ name, cells }) => [name, ...cells]), [
    ["sequence", 1n, 1n, 1n],
    ["time", micros, micros, micros],
    ["type", "Noted", "Noted", "Noted"],
    ["tag_course", "c1", '["[c]"]', undefined],
    ["tag_student", '["s1","s2"]', undefined, "s3"],
    ["tag_type", undefined, "t", undefined],
    ["meta_course", undefined, "m", undefined],
    ["payload", '{"n":1.0}', undefined, undefined],
    ["payload_text", undefined, "text", undefined],
    ["forgotten", undefined, undefined, "student"],
  ]);
});
