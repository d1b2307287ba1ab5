import assert from "node:assert/strict";
import { pageBlocks } from "../../docs/page_blocks.ts";
import { Shell } from "../../shell/shell_address.ts";
import { inDirectory } from "../../support/directory.ts";
import { startServer } from "../../support/server_process.ts";
import { run } from "../support/apt.ts";
import { pythonProgram, pythonTest } from "../support/python_tools.ts";

/** Runs statements, and prints the rows of the last as JSON. */
const SCRIPT = `
import duckdb, json, sys
print(json.dumps(duckdb.sql(sys.argv[1]).fetchall(), default=str))
`;

const EVENTS = [
  {
    type: "OrderPlaced",
    identifiers: { order: "o1", article: ["a1", "a2"] },
    payload: '{"cents": 1900, "rate": 1.0}',
  },
  { type: "OrderPaid", identifiers: { order: "o1" }, payload: "null" },
  {
    type: "OrderPlaced",
    identifiers: { order: "o2" },
    metadata: { "by whom": "Zo\u00eb" },
    payload: '{"cents": 5}',
  },
  { type: "Noted", payload: "not JSON" },
];

pythonTest("DuckDB reads the files of an export, as the page says", async () => {
  const python = await pythonProgram("duckdb", "python");
  const [sh, sql] = pageBlocks("warehouse.md");
  const statements = sql!.text.split(/;\s*/).filter((text) => text !== "");
  await using server = await startServer();
  const shell = new Shell(server.address);
  await inDirectory(async (cwd) => {
    const query = async (text: string): Promise<unknown> =>
      JSON.parse(await run(python, ["-c", SCRIPT, `${statements[0]}; ${text}`], { directory: cwd }));
    await server.client().append(...EVENTS);
    const printed = /# -> (.*\n)/.exec(sh!.text)![1];
    assert.equal(await shell.prints(["export", "--parquet", "warehouse"], { cwd }), printed);
    await server.client().append({ type: "Noted", identifiers: { Room: "r1" }, payload: "0.10" });
    await shell.prints(["export", "--parquet", "warehouse"], { cwd });

    assert.deepEqual(await query(statements[1]!), [["Noted", 2], ["OrderPaid", 1], ["OrderPlaced", 2]]);
    assert.deepEqual(await query(statements[2]!), [["o1", 1900], ["o2", 5]]);
    const types = "SELECT column_name, column_type FROM (DESCRIBE events) ORDER BY column_name";
    assert.deepEqual(await query(types), [
      ["forgotten", "VARCHAR"],
      ["meta_by whom", "VARCHAR"],
      ["payload", "JSON"],
      ["payload_text", "VARCHAR"],
      ["sequence", "BIGINT"],
      ["tag_Room", "VARCHAR"],
      ["tag_article", "VARCHAR"],
      ["tag_order", "VARCHAR"],
      ["time", "TIMESTAMP WITH TIME ZONE"],
      ["type", "VARCHAR"],
    ]);
    const cells =
      'SELECT tag_article, "meta_by whom", "tag_Room", payload, payload_text FROM events ORDER BY sequence';
    assert.deepEqual(await query(cells), [
      ['["a1","a2"]', null, null, '{"cents": 1900, "rate": 1.0}', null],
      [null, null, null, "null", null],
      [null, "Zo\u00eb", null, '{"cents": 5}', null],
      [null, null, null, null, "not JSON"],
      [null, null, "r1", "0.10", null],
    ]);
    const times = (await server.client().allEvents()).map(({ time }) => [time]);
    const utc = "strftime(time AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%fZ')";
    assert.deepEqual(await query(`SELECT ${utc} FROM events ORDER BY sequence`), times);
    const storeIds = "SELECT DISTINCT decode(value) FROM parquet_kv_metadata('warehouse/*.parquet')";
    assert.deepEqual(await query(storeIds), [[JSON.parse(await shell.prints(["head", "--json"])).storeId]]);
  });
});
