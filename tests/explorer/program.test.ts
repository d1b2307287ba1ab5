import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startServer } from "../support/server_process.ts";

const TOKEN = "the-token-of-this-test";
const FLAGS = [
  "run",
  "--quiet",
  "--no-prompt",
  "--unstable-no-legacy-abort",
  "--allow-read",
  "--allow-write",
];
const PERMISSIONS = ["--allow-net", "--allow-run=xdg-open,open"];
const MAIN = fileURLToPath(new URL("../../explorer/main.ts", import.meta.url));

function command(args: readonly string[], env: Record<string, string> = {}): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: [...FLAGS, ...PERMISSIONS, MAIN, ...args],
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

Deno.test("it prints its link, opens it, and reaches a store that wants a token", async () => {
  const env = { SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: TOKEN };
  await using server = await startServer({ listen: "unix", listenOnly: true, env });
  const directory = await Deno.makeTempDir({ prefix: "eventstore_test_" });
  try {
    await Deno.writeTextFile(join(directory, "token"), `${TOKEN}\n`);
    await Deno.writeTextFile(join(directory, "xdg-open"), `#!/bin/sh\necho "$1" >${directory}/opened\n`, {
      mode: 0o755,
    });
    assert.ok(server.address.transport === "unix");
    const args = ["--socket", server.address.path, "--token-file", join(directory, "token"), "--open"];
    const child = command(args, { PATH: `${directory}:${Deno.env.get("PATH")}` }).spawn();
    try {
      let printed = "";
      const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
      while (!printed.includes("\n")) printed += (await lines.read()).value ?? "\n";
      const [, link, key] = /: (http:\S+\/#key=(\S+))\n/.exec(printed)!;
      const health = await fetch(new URL("/store/health", link), { headers: { "x-explorer-key": key! } });
      assert.equal(health.status, 200, await health.text());
      if (Deno.build.os === "linux") assert.equal(await opened(join(directory, "opened")), `${link}\n`);
      await lines.cancel();
    } finally {
      child.kill("SIGTERM");
      await child.status;
      await child.stderr.cancel();
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

async function opened(path: string): Promise<string> {
  for (let i = 0; i < 600; i++) {
    const text = await Deno.readTextFile(path).catch(() => "");
    if (text.endsWith("\n")) return text;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("nothing was opened");
}

Deno.test("a wrong command line is one line on standard error", async () => {
  const wrong = [
    [["--port", "65536"], /--port is a number from 0 to 65535, not "65536"/],
    [["--url", "here"], /the url of the store is not one like/],
    [["--url", "http://a", "--socket", "b"], /--url or --socket/],
    [["--token-file", "/nowhere"], /nowhere/],
    [["--unknown"], /unknown/],
  ] as const;
  for (const [args, message] of wrong) {
    const { code, stderr } = await command(args).output();
    const text = new TextDecoder().decode(stderr);
    assert.equal(code, 1);
    assert.match(text, message);
    assert.match(text, /^explore: [^\n]+\n$/);
  }
});
