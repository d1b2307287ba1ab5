import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { debianTest } from "../support/debian_program.ts";
import { pageBlock, replacePart } from "../support/page_block.ts";
import { startServer } from "../support/server_process.ts";
import { programCommand } from "../support/start_command.ts";

const ROOT = new URL("../../", import.meta.url);
const DRILL =
  "# eventstore-drill: makes a backup, checks it, restores it, and starts a server on the result.";
const TOKEN = "correct-horse-battery";
const page = Deno.readTextFileSync(new URL("docs/operations.md", ROOT));

/** Where the server's last words come from. */
const SOURCES = [
  "main.ts",
  "src/server/start_server.ts",
  "src/http/transport/unix_socket.ts",
  "src/store/data_directory.ts",
  "src/store/database_file.ts",
  "src/store/init_store.ts",
  "src/store/store.ts",
];

/** A message that is thrown as one of the operator's errors, or printed: a whole literal with its values. */
const MESSAGE =
  /\b(?:new (?:StoreFileError|ListenError)|errors\.line|printError)\(\s*(?:serverProgram, )?(["`])((?:\$\{[^{}]*\}|(?!\1)[^$])*)\1/g;

function messagesOfSources(): Set<string> {
  const found = SOURCES.flatMap((path) => {
    const text = Deno.readTextFileSync(new URL(path, ROOT));
    return [...text.matchAll(MESSAGE)].map(([, , message]) => message!.replace(/\$\{[^{}]*\}/g, "..."));
  });
  return new Set(found);
}

Deno.test("operations.md explains every message of the server, and no other", () => {
  const [, section = ""] = page.split("## What the server says when it ends, or will not start\n");
  const rows = section.split("\n## ")[0]!.matchAll(/^\| `(.+?)` +\|/gm);
  const explained = [...rows].map(([, message]) => message!);
  const said = messagesOfSources();
  assert.ok(said.size > 15, "the messages are found in the sources");
  assert.deepEqual(explained.toSorted(), [...said].toSorted());
});

Deno.test("operations.md and monitoring.md link to pages that are there", () => {
  for (const name of ["operations.md", "monitoring.md", "reverse_proxy.md"]) {
    const text = Deno.readTextFileSync(new URL(`docs/${name}`, ROOT));
    for (const [, target] of text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
      assert.ok(Deno.statSync(new URL(target!, new URL(`docs/${name}`, ROOT))).isFile, `${name}: ${target}`);
    }
  }
});

Deno.test("monitoring.md explains every alert, and no other", () => {
  const text = Deno.readTextFileSync(new URL("docs/monitoring.md", ROOT));
  const rules = Deno.readTextFileSync(new URL("monitoring/alerts.yml", ROOT));
  const explained = [...text.matchAll(/^\| `(Eventstore\w+)` +\|/gm)].map(([, name]) => name);
  assert.deepEqual(explained, [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name));
});

/** A directory with the three programs under their names, for a shell. */
async function makePrograms(directory: string): Promise<string> {
  for (const program of ["server", "init", "backup"] as const) {
    const words = programCommand(program).map((word) => `'${word}'`).join(" ");
    const path = join(directory, `eventstore-${program}`);
    await Deno.writeTextFile(path, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  }
  return directory;
}

await debianTest(["curl"], "the drill of operations.md works as it is written", async ({ curl }) => {
  const env = { SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: TOKEN };
  await using server = await startServer({ listen: "unix", listenOnly: true, env });
  const client = server.client({ authorization: `Bearer ${TOKEN}` });
  const event = (payload: string): unknown => ({ type: "t", identifiers: { a: payload }, payload });
  await client.append(event("1"), event("2"), event("3"), event("4"));
  const { path: socket } = server.address as { path: string };
  const config = join(server.directory, "drill.toml");
  const backups = join(server.directory, "backups");
  await Deno.writeTextFile(config, `[backup]\nsourceSocket = "${socket}"\ndataDir = "${backups}"\n`);
  const programs = await makePrograms(server.directory);
  const drill = async (): Promise<Deno.CommandOutput> => {
    const script = replacePart(pageBlock("operations.md", DRILL), "/etc/eventstore/config.toml", config);
    return await new Deno.Command("sh", {
      args: ["-c", script.replaceAll("curl --", `${curl.path} --`)],
      cwd: server.directory,
      env: {
        ...curl.environment,
        PATH: `${programs}:${Deno.env.get("PATH")}`,
        TMPDIR: server.directory,
        // What tokens.env holds.
        SERVICE_AUTH_TOKEN: TOKEN,
        SERVICE_BACKUP_SOURCE_TOKEN: TOKEN,
      },
    }).output();
  };
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

  const good = await drill();
  assert.equal(good.code, 0, text(good.stderr));
  const lines = (await client.queryEvents("*", { limit: 3 })).reply.text;
  assert.ok(text(good.stdout).includes(lines), text(good.stdout));

  // A backup that was changed is no backup.
  const [file] = [...Deno.readDirSync(backups)].filter(({ name }) => name.endsWith(".db"));
  const bytes = Buffer.from(await Deno.readFile(join(backups, file!.name)));
  bytes.write("5", bytes.indexOf('"payload":"2"') + '"payload":"'.length);
  await Deno.writeFile(join(backups, file!.name), bytes);
  const bad = await drill();
  assert.equal(bad.code, 1, text(bad.stdout));
  assert.deepEqual([...Deno.readDirSync(server.directory)].filter(({ name }) => name.startsWith("tmp.")), []);
});
