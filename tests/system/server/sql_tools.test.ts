import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { inDirectory } from "../../support/directory.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free_port.ts";
import { pageBlock } from "../../support/page_block.ts";
import { makePrograms } from "../../support/programs.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";
import { COURSE_EVENTS, pageCommands, pageQueries } from "../../support/sql_page.ts";
import { missingForPython } from "../support/python_install.ts";
import { debianTest } from "../support/debian_program.ts";
import { needingTest } from "../../support/needing_test.ts";
import { type Ended, runCommand } from "../../support/run_command.ts";
import { fileURLToPath } from "node:url";
import { run } from "../support/apt.ts";

/* The commands of docs/sql.md with the real tools, on the file of a server that runs. */

const TYPES = [{ type: "CourseDefined", events: 2 }, { type: "StudentEnrolled", events: 2 }];

async function startFilledServer(): Promise<ServerProcess> {
  const server = await startServer();
  await server.client().append(...COURSE_EVENTS);
  return server;
}

/** Runs a command of the page, or another one, on the store of a server. */
async function runOn(
  { dataDir, directory }: ServerProcess,
  command: string,
  env: Record<string, string>,
): Promise<Ended> {
  const words = ["sh", "-c", command.replaceAll("/var/lib/eventstore", dataDir)];
  return await runCommand(words, { cwd: directory, env });
}

function pathWith(folder: string): { PATH: string } {
  return { PATH: `${folder}:${Deno.env.get("PATH")}` };
}

/** The one command of the page that begins with the name of a tool. */
function commandOf(tool: string): string[] {
  return pageCommands().filter((command) => command.startsWith(`${tool} `));
}

await debianTest(
  ["sqlite3"],
  "the sqlite3 shell reads the views while the server runs",
  async ({ sqlite3 }) => {
    await using server = await startFilledServer();
    const env = { ...sqlite3.environment, ...pathWith(dirname(sqlite3.path)) };
    const [command] = commandOf("sqlite3");
    const { code, stdout, stderr } = await runOn(server, command!, env);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.ok(stdout.includes('{"course":"c1","student":["s1","s2"]}'), stdout);
    for (const query of pageQueries("sql")) {
      const ended = await runOn(server, `sqlite3 -readonly ${server.databasePath} "$QUERY"`, {
        ...env,
        QUERY: query,
      });
      assert.deepEqual([ended.code, ended.stderr], [0, ""], query);
    }
    const written = await runOn(server, `sqlite3 -readonly ${server.databasePath} 'DELETE FROM event'`, env);
    assert.match(written.stderr, /readonly/);
    await importTable(server, env);
    const copying = pageBlock(
      "restore.md",
      "# One moment of it, complete in one file that only you can read:",
    );
    const copied = await runOn(
      server,
      copying.replace("/srv/store", server.dataDir).replace("/srv/copy/", ""),
      env,
    );
    assert.deepEqual([copied.code, copied.stderr], [0, ""]);
    const count = await runOn(server, "sqlite3 -readonly events.db 'SELECT count(*) FROM events'", env);
    assert.equal(count.stdout, `${COURSE_EVENTS.length}\n`);
  },
);

/** Runs the example of docs/import.md, which turns a table into events. */
async function importTable(server: ServerProcess, env: Record<string, string>): Promise<void> {
  const programs = await makePrograms(server.directory);
  const path = { ...env, PATH: `${programs}:${env["PATH"]}` };
  const table = "CREATE TABLE journal (id, kind, order_id, at, data); INSERT INTO journal VALUES " +
    `(7, 'Placed', 'o-1', '2024-02-28T09:30:00Z', '{"a":1}'), (9, 'Paid', 'o-1', '2024-02-28 10:30:00Z', '')`;
  await runOn(server, `sqlite3 old.db "$TABLE"`, { ...path, TABLE: table });
  const command = pageBlock("import.md", "# old.db has the table journal (id, kind, order_id, at, data):")
    .replace("/srv/events", "imported");
  const rejected = await runOn(server, command, path);
  assert.match(
    rejected.stderr,
    /standard input was not imported: line 2: time must be like .*, not "2024-02-28 10/,
  );
  await runOn(server, `sqlite3 old.db "UPDATE journal SET at = replace(at, ' ', 'T')"`, path);
  const { code, stdout, stderr } = await runOn(server, command, path);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /2 events imported/);
  const found = await runOn(
    server,
    "sqlite3 -readonly imported/events.db 'SELECT time, metadata FROM events'",
    path,
  );
  assert.equal(
    found.stdout,
    '2024-02-28T09:30:00.000000Z|{"journal":"7"}\n2024-02-28T10:30:00.000000Z|{"journal":"9"}\n',
  );
}

needingTest(
  "sqlite-utils, Datasette and DuckDB read the views while the server runs",
  { missing: await missingForPython(), excused: true },
  () =>
    inDirectory(async (directory) => {
      await using server = await startFilledServer();
      const env = pathWith(await installPythonTools(directory, new URL("sql_tools.txt", import.meta.url)));
      await Promise.all([sqliteUtils(server, env), datasette(server, env), duckdb(server, env)]);
      await server.client().append(...COURSE_EVENTS);
    }),
);

async function sqliteUtils(server: ServerProcess, env: Record<string, string>): Promise<void> {
  const printed = [];
  for (const command of commandOf("sqlite-utils")) {
    const { code, stdout, stderr } = await runOn(server, command, env);
    assert.deepEqual([code, stderr], [0, ""], command);
    printed.push(JSON.parse(stdout));
  }
  const [rows, types] = printed;
  assert.deepEqual(JSON.parse(rows[2].identifiers), COURSE_EVENTS[2]!.identifiers);
  assert.deepEqual(types, TYPES);
  const counts = await runOn(server, "sqlite-utils tables /var/lib/eventstore/events.db --counts", env);
  assert.match(counts.stderr, /event_term: table does not support scanning/);
}

async function datasette(
  { databasePath, directory }: ServerProcess,
  env: Record<string, string>,
): Promise<void> {
  const port = freePort();
  assert.deepEqual(commandOf("datasette").length, 1);
  const child = new Deno.Command(join(env["PATH"]!.split(":")[0]!, "datasette"), {
    args: ["serve", databasePath, "--port", String(port)],
    cwd: directory,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    const url = `http://127.0.0.1:${port}/events/events.json?_shape=array&type=CourseDefined`;
    const rows = await eventually200(url) as Record<string, unknown>[];
    assert.deepEqual(rows.map(({ sequence, payload }) => ({ sequence, payload })), [
      { sequence: 1, payload: '{"capacity":30}' },
      { sequence: 2, payload: '{"capacity":5}' },
    ]);
  } finally {
    child.kill();
    await child.status;
  }
}

async function eventually200(url: string): Promise<unknown> {
  let json: unknown;
  await eventually(async () => {
    const response = await fetch(url);
    json = await response.json();
    assert.equal(response.status, 200);
  }, 60);
  return json;
}

/** DuckDB downloads its extension from its makers, unless a setting names the file. */
const DUCKDB = `
import duckdb, duckdb_extension_sqlite_scanner, json, os, pathlib, sys
[extension] = pathlib.Path(duckdb_extension_sqlite_scanner.__file__).parent.glob("extensions/*/*.duckdb_extension")
connection = duckdb.connect()
connection.execute(f"LOAD '{extension}'")
for statement in os.environ["STATEMENTS"].split(";"):
    if statement.strip() != "":
        rows = connection.execute(statement).fetchall()
print(json.dumps(sorted(rows)))
`;

async function duckdb(server: ServerProcess, env: Record<string, string>): Promise<void> {
  const [statements] = pageQueries("sql duckdb");
  const run = (text: string) =>
    runOn(server, `python -c "$SCRIPT"`, {
      ...env,
      SCRIPT: DUCKDB,
      STATEMENTS: text.replaceAll("/var/lib/eventstore", server.dataDir),
    });
  const ended = await run(statements!);
  assert.deepEqual([ended.code, ended.stderr], [0, ""]);
  assert.deepEqual(JSON.parse(ended.stdout), TYPES.map(({ type, events }) => [type, events]));
  const tags = await run(
    `${statements}; SELECT name, value FROM store.event_tags WHERE CAST(sequence AS BIGINT) = 3`,
  );
  assert.deepEqual(JSON.parse(tags.stdout), [["course", "c1"], ["student", "s1"], ["student", "s2"]]);
  assert.match((await run(`${statements}; SHOW TABLES FROM store`)).stderr, /does not support scanning/);
}

/**
 * Makes a Python environment in a directory, with the packages that a file names in exact versions.
 * @returns the folder of its programs
 */
async function installPythonTools(directory: string, requirements: URL): Promise<string> {
  const environment = join(directory, "python");
  await run("python3", ["-m", "venv", environment]);
  const programs = join(environment, "bin");
  const quiet = ["--quiet", "--no-input", "--disable-pip-version-check"];
  const exact = ["--no-compile", "--no-deps", "--only-binary", ":all:", "--requirement"];
  await run(join(programs, "python"), [
    "-m",
    "pip",
    ...quiet,
    "install",
    ...exact,
    fileURLToPath(requirements),
  ]);
  return programs;
}
