import assert from "node:assert/strict";
import { join } from "node:path";
import { oddEvents } from "../../backup/odd_events.ts";
import { ofStudent, SECRET } from "../../backup/sealed_source.ts";
import { sourceLines } from "../../backup/stored_lines.ts";
import { Client } from "../../support/client.ts";
import { pageBlock } from "../../support/page_block.ts";
import { type Ended, runCommand } from "../../support/run_command.ts";
import { programCommand } from "../../support/start_command.ts";
import { debianProgram } from "../support/debian_program.ts";
import type { PostgresCluster } from "./support/cluster.ts";
import { clusterTest } from "./support/postgres_test.ts";

/* Types the commands of docs/move.md, on a machine whose directories are below one of the test's own. */

const PAGE = "move.md";
const MOVE = "# move-to-postgres: from /var/lib/eventstore into the database of $OWNER_URL.";
const PROVE = "# prove-move: compares the events of the running server with the file that was imported, $1.";
const MOVE_BACK = "# move-to-file: from PostgreSQL into /var/lib/eventstore.";

/** Starts and stops the server as systemd would: with the tokens, and done when it listens or is gone. */
const SYSTEMCTL = `#!/bin/sh
set -eu
case "$1 $2" in
'start eventstore-server')
  if [ -e ROOT/etc/eventstore/tokens.env ]; then set -a; . ROOT/etc/eventstore/tokens.env; set +a; fi
  : >ROOT/log
  eventstore-server --config ROOT/etc/eventstore/config.toml >>ROOT/log 2>&1 </dev/null &
  echo $! >ROOT/pid
  until grep -q 'listening on' ROOT/log; do
    if ! kill -0 $(cat ROOT/pid); then cat ROOT/log >&2; exit 1; fi
    sleep 0.1
  done ;;
'stop eventstore-server')
  if [ ! -e ROOT/pid ]; then exit 0; fi
  kill $(cat ROOT/pid)
  while grep -q '^State:[[:space:]]*[^Z]' /proc/$(cat ROOT/pid)/status 2>/dev/null; do sleep 0.1; done
  rm ROOT/pid ;;
esac
`;

/** A machine with the server of the package, as far as the drill sees it. */
class Machine implements AsyncDisposable {
  readonly #root = Deno.makeTempDirSync({ prefix: "eventstore_test_" });
  readonly client = new Client({ transport: "unix", path: this.path("server.sock") });

  /** @param settings further lines of [server] */
  static async start(settings = ""): Promise<Machine> {
    const machine = new Machine();
    for (const folder of ["bin", "etc/eventstore", "var/lib", "var/tmp"]) {
      Deno.mkdirSync(machine.path(folder), { recursive: true });
    }
    const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(" ");
    for (const name of ["server", "init", "backup"] as const) {
      machine.#program(`eventstore-${name}`, `#!/bin/sh\nexec ${quoted(programCommand(name))} "$@"\n`);
    }
    const { path, environment } = await debianProgram("psql");
    const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    machine.#program("psql", `#!/bin/sh\nexec env ${quoted([...variables, path])} "$@"\n`);
    machine.#program("systemctl", SYSTEMCTL.replaceAll("ROOT", machine.#root));
    Deno.writeTextFileSync(
      machine.path("etc/eventstore/config.toml"),
      `[server]\nsocketPath = "${machine.path("server.sock")}"\ndataDir = "${
        machine.path("var/lib/eventstore")
      }"\n${settings}` +
        `[backup]\nsourceSocket = "${machine.path("server.sock")}"\ndataDir = "${machine.path("backup")}"\n`,
    );
    await machine.well("systemctl start eventstore-server");
    return machine;
  }

  path(name: string): string {
    return join(this.#root, name);
  }

  /** Types a script into a shell. */
  async types(script: string, env: Record<string, string> = {}, args: string[] = []): Promise<Ended> {
    const here = script.replaceAll(/\/(etc|var)\//g, `${this.#root}/$1/`);
    return await runCommand(["sh", "-c", here, "sh", ...args], {
      cwd: this.#root,
      env: { PATH: `${this.path("bin")}:${Deno.env.get("PATH")}`, ...env },
    });
  }

  /** The same, which must succeed. @returns what was printed */
  async well(script: string, env?: Record<string, string>, args?: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.types(script, env, args);
    assert.equal(code, 0, `${script}\n${stdout}${stderr}`);
    return stdout;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.types("systemctl stop eventstore-server");
    Deno.removeSync(this.#root, { recursive: true });
  }

  #program(name: string, text: string): void {
    Deno.writeTextFileSync(this.path(`bin/${name}`), text, { mode: 0o755 });
  }
}

/** The roles and the database of docs/postgres.md. */
async function rolesIn(cluster: PostgresCluster): Promise<Record<"OWNER_URL" | "SERVER_URL", string>> {
  await cluster.sql(
    "CREATE ROLE eventstore_owner LOGIN",
    "CREATE ROLE eventstore_server LOGIN",
    "CREATE DATABASE shop OWNER eventstore_owner",
  );
  return {
    OWNER_URL: cluster.url("eventstore_owner", "shop"),
    // A character with a meaning for shells.
    SERVER_URL: `${cluster.url("eventstore_server", "shop")}?sslmode=disable&host=${cluster.directory}`,
  };
}

/** The listed projections, in an order of their own: that of a list depends on the storage. */
async function projectionsOf(client: Client): Promise<string[]> {
  return (await client.request("GET", "/projections")).text.split("\n").sort();
}

/** The file that a script names at the end of its output. */
function fileIn(printed: string): string {
  return /before is in (\S+)\.\n$/.exec(printed)![1]!;
}

await clusterTest("the drill of docs/move.md moves a store to PostgreSQL and back", async (cluster) => {
  await using machine = await Machine.start();
  const { client } = machine;
  await client.append(...oddEvents);
  const create = [{ type: "seats", id: "c1", payload: "2" }];
  await client.request("POST", "/write", { json: { projections: { create } } });
  const listed = (await client.request("GET", "/projections")).text;
  const lines = await sourceLines(client);
  const storeId = await client.storeId();
  const urls = await rolesIn(cluster);

  const file = fileIn(await machine.well(pageBlock(PAGE, MOVE), urls));
  assert.deepEqual(await sourceLines(client), lines);
  assert.equal(await client.storeId(), storeId);
  assert.equal((await client.request("GET", "/projections")).text, listed, "with the version");
  const mark = Deno.readTextFileSync(machine.path("var/lib/eventstore/service.moved"));
  assert.equal(mark, `${storeId} was exported to ${file}\n`);
  assert.match(await machine.well(pageBlock(PAGE, PROVE), urls, [file]), /^Every byte is there\.\n$/m);
  const tokens = Deno.readTextFileSync(machine.path("etc/eventstore/tokens.env"));
  assert.match(tokens, /^SERVICE_STORAGE=postgres\nSERVICE_POSTGRES_URL='postgresql:/);

  await client.append({ type: "in PostgreSQL", payload: "" });
  const unproven = await machine.types(pageBlock(PAGE, PROVE), urls, [file]);
  assert.notEqual(unproven.code, 0, "another event is noticed");
  const after = await sourceLines(client);
  const update = [{ type: "seats", id: "\u00e9/2", payload: '"\n"' }];
  await client.request("POST", "/write", { json: { projections: { create: update } } });
  const listedAfter = await projectionsOf(client);
  await machine.well(pageBlock(PAGE, MOVE_BACK), urls);
  assert.deepEqual(await sourceLines(client), after);
  assert.equal(await client.storeId(), storeId);
  assert.deepEqual(await projectionsOf(client), listedAfter, "with their versions");
  assert.equal((await client.request("GET", "/projections/seats/%C3%A9%2F2")).text, '"\n"');
  const onOld = await machine.types("eventstore-server", {
    SERVICE_STORAGE: "postgres",
    SERVICE_POSTGRES_URL: urls.SERVER_URL,
    SERVICE_SOCKET_PATH: machine.path("other.sock"),
  });
  assert.equal(onOld.code, 1);
  assert.match(onOld.stderr, /it has moved: .* UPDATE eventstore\.store SET edition = ''$/m);
  assert.equal(Deno.readTextFileSync(machine.path("etc/eventstore/tokens.env")), "");
});

await clusterTest(
  "the drill moves the keys of subjects there and back, and leaves no copy",
  async (cluster) => {
    await using machine = await Machine.start('subjects = ["student"]\n');
    const { client } = machine;
    const forget = async (value: string): Promise<void> => {
      const reply = await client.request("POST", "/forget", {
        json: { identifier: { name: "student", value } },
      });
      assert.equal(reply.status, 200, reply.text);
    };
    const payloads = async (): Promise<string[]> =>
      (await client.allEvents("*")).map(({ payload }) => payload);
    const forgotten = async (): Promise<string> => (await client.request("GET", "/subjects/forgotten")).text;
    await client.append(...["s1", "s2", "s3"].map(ofStudent), { type: "plain", payload: "plain" });
    await forget("s1");
    const list = await forgotten();
    const urls = await rolesIn(cluster);

    await machine.well(pageBlock(PAGE, MOVE), urls);
    assert.deepEqual(await payloads(), ["", `${SECRET}s2`, `${SECRET}s3`, "plain"]);
    assert.equal(await forgotten(), list);
    await forget("s2");
    await client.append(ofStudent("s4"));
    const after = await forgotten();
    await machine.well(pageBlock(PAGE, MOVE_BACK), urls);
    assert.deepEqual(await payloads(), ["", "", `${SECRET}s3`, "plain", `${SECRET}s4`]);
    assert.equal(await forgotten(), after);
    for (const { name } of Deno.readDirSync(machine.path("var/tmp"))) {
      const left = [...Deno.readDirSync(machine.path(`var/tmp/${name}`))].map(({ name }) => name);
      assert.deepEqual(left.filter((name) => !/^(before\.ndjson|forgotten|tokens\.env)$/.test(name)), []);
    }
  },
);

await clusterTest(
  "a step of the drill that fails ends it, and the server continues as before",
  async (cluster) => {
    await using machine = await Machine.start();
    const { client } = machine;
    await client.append({ type: "precious", payload: "" });
    const lines = await sourceLines(client);
    const urls = await rolesIn(cluster);
    const move = pageBlock(PAGE, MOVE);
    const steps = [
      ["export", move, {}, (text: string) => text.replace("export --from", "export --form")],
      ["import", move, { OWNER_URL: urls.OWNER_URL.replace("eventstore_owner", "nobody") }, undefined],
      ["GRANT", move, {}, (text: string) => text.replace("TO eventstore_server", "TO nobody")],
    ] as const;
    for (const [name, script, env, change] of steps) {
      const { code, stderr } = await machine.types(change?.(script) ?? script, { ...urls, ...env });
      assert.notEqual(code, 0, name);
      assert.notEqual(stderr, "", "it says why");
      assert.throws(() => Deno.statSync(machine.path("etc/eventstore/tokens.env")), Deno.errors.NotFound);
      await machine.well("systemctl start eventstore-server");
      assert.deepEqual(await sourceLines(client), lines, `after ${name}`);
      await cluster.sqlIn(cluster.address(undefined, "shop"), "DROP SCHEMA IF EXISTS eventstore CASCADE");
    }

    await machine.well(move, urls);
    const back = pageBlock(PAGE, MOVE_BACK);
    const used = await machine.types(
      back.replace(/^systemctl stop .*$/m, ":"),
      urls,
    );
    assert.match(used.stderr, /a server of edition A works on it \(seen \d+ s ago\): stop it first/);
    const { code } = await machine.types(back.replace("eventstore-init", "eventstore-int"), urls);
    assert.notEqual(code, 0);
    await machine.well("systemctl start eventstore-server");
    assert.deepEqual(await sourceLines(client), lines, "the store is still in PostgreSQL");
  },
);
