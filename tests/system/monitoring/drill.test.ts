import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { debianTest } from "../support/debian_program.ts";
import { pageBlock, replacePart } from "../../support/page_block.ts";
import { makePrograms } from "../../support/programs.ts";
import { startServer } from "../../support/server_process.ts";

const DRILL =
  "# eventstore-drill: makes a backup, checks it, restores it, and starts a server on the result.";
const TOKEN = "correct-horse-battery";

await debianTest(["curl"], "the drill of drill.md works as it is written", async ({ curl }) => {
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
    const script = replacePart(pageBlock("drill.md", DRILL), "/etc/eventstore/config.toml", config);
    return await new Deno.Command("sh", {
      args: ["-c", script.replaceAll("curl --", `${curl.path} --`)],
      cwd: server.directory,
      env: {
        ...curl.environment,
        PATH: `${programs}:${Deno.env.get("PATH")}`,
        TMPDIR: server.directory,
        // The content of tokens.env.
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

  // A backup that was changed is no longer valid.
  const [file] = [...Deno.readDirSync(backups)].filter(({ name }) => name.endsWith(".db"));
  const bytes = Buffer.from(await Deno.readFile(join(backups, file!.name)));
  bytes.write("5", bytes.indexOf('"payload":"2"') + '"payload":"'.length);
  await Deno.writeFile(join(backups, file!.name), bytes);
  const bad = await drill();
  assert.equal(bad.code, 1, text(bad.stdout));
  assert.deepEqual([...Deno.readDirSync(server.directory)].filter(({ name }) => name.startsWith("tmp.")), []);
});
