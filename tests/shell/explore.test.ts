import { delay } from "../../src/async/delay.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import { startServer } from "../support/server_process.ts";
import { programCommand } from "../support/start_command.ts";

const TOKEN = "the-token-of-this-test";
function explore(args: readonly string[], env: Record<string, string> = {}): Deno.Command {
  const [program, ...before] = programCommand("client");
  return new Deno.Command(program, {
    args: [...before, "explore", ...args],
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

Deno.test("explore prints its link, opens it, reaches a store that wants a token, and ends with a signal", async () => {
  const env = { SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: TOKEN };
  await using server = await startServer({ listen: "unix", listenOnly: true, env });
  const directory = await Deno.makeTempDir({ prefix: "eventstore_test_" });
  try {
    await Deno.writeTextFile(join(directory, "token"), `${TOKEN}\n`, { mode: 0o600 });
    await Deno.writeTextFile(join(directory, "xdg-open"), `#!/bin/sh\necho "$1" >${directory}/opened\n`, {
      mode: 0o755,
    });
    assert.ok(server.address.transport === "unix");
    const args = ["--socket", server.address.path, "--token-file", join(directory, "token"), "--open"];
    const child = explore(args, { PATH: `${directory}:${Deno.env.get("PATH")}` }).spawn();
    try {
      let printed = "";
      const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
      while (!/\n.*\n/.test(printed)) printed += (await lines.read()).value ?? "\n\n";
      const [, link, key] = /^(http:\S+\/#key=(\S+))\n/m.exec(printed)!;
      const health = await fetch(new URL("/store/health", link), { headers: { "x-explorer-key": key! } });
      assert.equal(health.status, 200, await health.text());
      if (Deno.build.os === "linux") assert.equal(await opened(join(directory, "opened")), `${link}\n`);
      await lines.cancel();
      child.kill("SIGTERM");
      assert.equal((await child.status).code, 0);
    } finally {
      end(child);
      await child.status;
      assert.equal(await new Response(child.stderr).text(), "");
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

async function opened(path: string): Promise<string> {
  for (let i = 0; i < 600; i++) {
    const text = await Deno.readTextFile(path).catch(() => "");
    if (text.endsWith("\n")) return text;
    await delay(50);
  }
  throw new Error("nothing was opened");
}

Deno.test("a wrong command line is one line on standard error", async () => {
  const wrong = [
    [["--url", "http://a", "--port", "65536"], /--port: must be a number from 0 to 65535, not "65536"/],
    [["--url", "here"], /--url: must be an http/],
    [["--url", "http://a", "--socket", "b"], /--url and --socket are both given/],
    [["--token-file", "/nowhere"], /nowhere/],
    [["--unknown"], /unknown/],
  ] as const;
  for (const [args, message] of wrong) {
    const { code, stderr } = await explore(args).output();
    const text = new TextDecoder().decode(stderr);
    assert.equal(code, 2);
    assert.match(text, message);
    assert.match(text, /^eventstore-client: [^\n]+\n$/);
  }
});

Deno.test("a port that is taken is named", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = taken.addr as Deno.NetAddr;
  const { code, stderr } = await explore(["--url", "http://127.0.0.1:1", "--port", String(port)]).output();
  assert.deepEqual(
    [code, new TextDecoder().decode(stderr)],
    [2, `eventstore-client: --port: ${port} is taken\n`],
  );
});

function end(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
