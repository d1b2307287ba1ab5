import assert from "node:assert/strict";
import { join } from "node:path";
import { clientProgram } from "../../cli/client_program.ts";
import { bashCompletion } from "../../cli/completions/bash.ts";
import { fishCompletion } from "../../cli/completions/fish.ts";
import { zshCompletion } from "../../cli/completions/zsh.ts";
import { ShellExit } from "../../src/shell/ends.ts";
import { VERSION } from "../../src/config/version.ts";
import { inDirectory } from "../support/directory.ts";
import { freePort } from "../support/free_port.ts";
import { runCommand } from "../support/run_command.ts";
import { sharedServer, startServer } from "../support/server_process.ts";
import { startWithTokens, tokenToml } from "../support/tokens.ts";
import { Shell } from "./shell_address.ts";

const server = sharedServer();

const APPEND = ["append", "--type", "t", "--payload", "1"];

/** Every verb that speaks to a server. */
const VERBS = [["read"], APPEND, ["head"], ["projection", "get", "t", "i"], ["health"]];

Deno.test("the exit codes that are documented are those that there are", () => {
  const codes = clientProgram.exitCodes.map(([code]) => Number(code));
  assert.deepEqual(codes, Object.values(ShellExit));
});

Deno.test("a server that cannot be reached is 5, at once and before anything is written", async () => {
  const port = freePort();
  const places = [
    new Shell({ transport: "unix", path: "/nowhere/server.sock" }),
    new Shell({ transport: "tcp", hostname: "127.0.0.1", port }),
  ];
  for (const shell of places) {
    for (const args of VERBS) {
      await shell.fails(
        args,
        5,
        /: cannot reach (\/nowhere\/server\.sock \(no such socket|http:\/\/127.0.0.1:\d+ \(connection refused)\)$/m,
      );
    }
  }
});

Deno.test("a server that is no event store is said to be none", async () => {
  await using foreign = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response("<html>"),
  );
  const shell = new Shell({ transport: "tcp", hostname: "127.0.0.1", port: foreign.addr.port });
  await shell.fails(["head"], 1, /this is not an event store/);
  await shell.fails(["health"], 1, /not that of an event store/);
});

Deno.test("an answer to a write that is lost is 6, and one that says to come later 5", async () => {
  let answer: () => Response;
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    ({ method }) => method === "GET" ? new Response("", { status: 405 }) : answer(),
  );
  const shell = new Shell({ transport: "tcp", hostname: "127.0.0.1", port: server.addr.port });
  answer = () => new Response("Bad Gateway", { status: 502 });
  await shell.fails(APPEND, 6, /the answer was lost; check whether it was written/);
  answer = () => new Response("connect ECONNREFUSED 10.0.0.1:8085", { status: 502 });
  await shell.fails(APPEND, 6, /check whether it was written: connect E/);
  answer = () => new Response("denied", { status: 403 });
  await shell.fails(APPEND, 6, /check whether it was written: denied/);
  const own = (status: number, error: string, message: string): Response =>
    Response.json({ error, message }, { status, headers: { "X-Service-Error": error } });
  answer = () => own(500, "InternalError", "\x1b[31m");
  await shell.fails(APPEND, 1, /\\u001b\[31m/);
  answer = () => own(413, "PayloadTooLarge", "it is too large");
  await shell.fails(APPEND, 2, /it is too large/);
  answer = () => own(403, "InvalidRequest", "denied");
  await shell.fails(APPEND, 7, /denied/);
});

for (const listen of ["unix", "tcp"] as const) {
  Deno.test(`over ${listen}, a write that was never sent is 5: a server that has left wrote nothing`, async () => {
    await using server = await startServer({ listen, listenOnly: true });
    const running = new Shell(server.address).start(["append", "-", "--batch", "1"]);
    const writer = running.child.stdin.getWriter();
    const line = new TextEncoder().encode('{"type":"t","payload":""}\n');
    await writer.write(line);
    await running.lines(1);
    await server.stop();
    await writer.write(line);
    await writer.close();
    const { code, stdout, stderr } = await running.ended();
    assert.deepEqual([code, stdout], [5, "1\n"], stderr);
    assert.match(stderr, /the first 1 events of standard input are written\n.*: cannot reach .* for 10 s\n$/);
  });
}

Deno.test("whoami prints what the token may do; what it may not do is 7", async () => {
  const tokens = tokenToml("report", "r", ["read", "operate"], "expires = 2099-01-01T00:00:00Z\n") +
    tokenToml("tenant", "t", ["write"], 'within = { tenant = "t1" }\n');
  await using server = await startWithTokens("A", tokens, { SERVICE_AUTH_TOKEN: "all" });
  const shell = new Shell(server.address);
  const report = { env: { EVENTSTORE_TOKEN: "r" } };
  assert.equal(
    await shell.prints(["whoami"], report),
    "report: may read, operate, until 2099-01-01T00:00:00.000000Z\n",
  );
  assert.equal(
    await shell.prints(["whoami", "--json"], report),
    '{"edition":"A","name":"report","may":["read","operate"],"expires":"2099-01-01T00:00:00.000000Z"}\n',
  );
  const all = { env: { EVENTSTORE_TOKEN: "all" } };
  assert.equal(
    await shell.prints(["whoami"], all),
    "no name: may read, write, copy, keys, forget, operate, develop\n",
  );
  await shell.fails(APPEND, 7, /the token report lacks the right "write"/, report);
  const tenant = { env: { EVENTSTORE_TOKEN: "t" } };
  assert.equal(await shell.prints(["whoami"], tenant), "tenant: may write, only events with tenant=t1\n");
  await shell.fails(
    APPEND,
    7,
    /events\[0\]: the token tenant writes only events with tenant=t1 and no/,
    tenant,
  );
});

Deno.test("without a token, health is what openHealth lets it be", async () => {
  await using server = await startWithTokens("A", tokenToml("t", "t", ["read"]), {
    SERVICE_OPEN_HEALTH: "true",
  });
  const shell = new Shell(server.address);
  assert.equal(await shell.prints(["health"]), "ok, no details without a token\n");
  assert.equal(await shell.prints(["health", "--json"]), '{"status":"ok"}\n');
  const version = `ok, version ${VERSION}\n`;
  assert.equal(await shell.prints(["health"], { env: { EVENTSTORE_TOKEN: "t" } }), version);
});

Deno.test("a program that answers everything with JSON is no event store", async () => {
  await using other = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => Response.json({ edition: "first" }),
  );
  const shell = new Shell({ transport: "tcp", hostname: "127.0.0.1", port: other.addr.port });
  await shell.fails(["read"], 1, /this is not an event store/);
});

Deno.test("a server with a token takes it from a file or a variable, and its lack is 7", async () => {
  const token = "open sesame";
  await using server = await startServer({ env: { SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: token } });
  const shell = new Shell(server.address);
  for (const args of VERBS) {
    await shell.fails(args, 7, /give the token with --token-file or EVENTSTORE_TOKEN$/m);
  }
  await shell.fails(["head"], 7, /./, { env: { EVENTSTORE_TOKEN: "wrong" } });
  assert.equal(await shell.prints(APPEND, { env: { EVENTSTORE_TOKEN: token } }), "1\n");
  await inDirectory(async (directory) => {
    const file = join(directory, "token");
    await Deno.writeTextFile(file, `${token}\n`, { mode: 0o600 });
    assert.equal(await shell.prints(["head", "--token-file", file]), "1\n");
    assert.equal(await shell.prints(["head"], { env: { EVENTSTORE_TOKEN_FILE: file } }), "1\n");
    assert.equal(
      await shell.prints(["head", "--token-file", file], { env: { EVENTSTORE_TOKEN: "wrong" } }),
      "1\n",
      "the flag wins",
    );
    await Deno.chmod(file, 0o644);
    const { code, stdout, stderr } = await shell.run(["head", "--token-file", file]);
    assert.deepEqual([code, stdout], [0, "1\n"]);
    assert.match(stderr, /^eventstore-client: warning: .*token: contains a token, .*\(chmod 600 /);
    assert.equal(stderr.includes(token), false);
    const two = { EVENTSTORE_TOKEN: token, EVENTSTORE_TOKEN_FILE: file };
    await shell.fails(["head"], 2, /EVENTSTORE_TOKEN_FILE and EVENTSTORE_TOKEN are both given/, { env: two });
    await Deno.writeTextFile(file, "two\nlines");
    await Deno.chmod(file, 0o600);
    await shell.fails(["head", "--token-file", file], 2, /token: must be .*printable ASCII/);
    await shell.fails(["head", "--token-file", join(directory, "none")], 2, /none: cannot be read/);
    await shell.fails(
      ["head", "--token-file", "/dev/zero"],
      2,
      /\/dev\/zero: cannot be read: it is too long/,
    );
  });
});

Deno.test("without a reader of standard error, the work is done and the code is the same", async () => {
  const shell = new Shell(server.address);
  await inDirectory(async (directory) => {
    await Deno.writeTextFile(join(directory, "token"), "known to many", { mode: 0o644 });
    await Deno.writeTextFile(join(directory, "events.jsonl"), '{"type":"t","payload":""}\n{}\n');
    const cases: readonly (readonly [readonly string[], number])[] = [
      [[...APPEND, "--token-file", "token"], 0],
      [["append", "events.jsonl", "--batch", "1"], 2],
      [[...APPEND, "--if-none", "--type", "t"], 3],
      [["projection", "get", "t", "i"], 4],
      [["read", "--limits"], 2],
    ];
    for (const script of ['exec 3> >(true); wait $!; "$@" 2>&3', '"$@" 2>/dev/full']) {
      for (const [args, code] of cases) {
        const ended = await runCommand(["bash", "-c", script, "bash", ...shell.command(args)], {
          cwd: directory,
          env: shell.environment,
          clearEnv: true,
        });
        assert.equal(ended.code, code, `${script}: ${args.join(" ")}`);
      }
    }
  });
  assert.equal(await shell.prints(["head"]), "4\n", "two events in each round");
});

Deno.test("flags win over variables, and the messages say which server is meant", async () => {
  const url = new Shell(server.address).url;
  const none = new Shell();
  await none.fails(
    ["head"],
    5,
    /which server\? None is to be seen at \/run\/service\/service\.sock: give --url or --socket, or set EVENTSTORE_URL/,
  );
  assert.equal(await none.prints(["head", "--url", url]), "0\n");
  const elsewhere = new Shell({ transport: "unix", path: "/nowhere/server.sock" });
  assert.equal(await elsewhere.prints(["head", "--url", url]), "0\n");
  await elsewhere.fails(["head"], 2, /EVENTSTORE_URL and EVENTSTORE_SOCKET are both given/, {
    env: { EVENTSTORE_URL: url },
  });
  await none.fails(["head", "--url", url, "--socket", "/s"], 2, /--url and --socket are both given/);
  await none.fails(["head", "--url", "ftp://localhost"], 2, /--url: must be an http:\/\/ or https:\/\/ URL/);
  const secret = await none.run(["head", "--url", "http://user:secret@localhost"]);
  assert.equal(secret.code, 2);
  assert.doesNotMatch(secret.stderr, /secret/);
  await none.fails(
    ["head", "--socket", `/${"s".repeat(200)}`],
    2,
    /--socket: must be a path of 1 to 107 bytes/,
  );
});

Deno.test("completions are those of the package", async () => {
  const shell = new Shell();
  assert.equal(await shell.prints(["completions", "bash"]), bashCompletion(clientProgram));
  assert.equal(await shell.prints(["completions", "zsh"]), zshCompletion(clientProgram));
  assert.equal(await shell.prints(["completions", "fish"]), fishCompletion(clientProgram));
});

Deno.test("--help has every variable that gives the address of the server", () => {
  const source = Deno.readTextFileSync(new URL("../../src/shell/server_address.ts", import.meta.url));
  const read = new Set(source.match(/(?<=fromVariable\(")EVENTSTORE_\w+/g));
  assert.deepEqual([...clientProgram.variables.map(([name]) => name)].sort(), [...read].sort());
});

Deno.test("--help of the program and of each verb prints and exits with 0, as --version does", async () => {
  const shell = new Shell();
  assert.equal(await shell.prints(["--version"]), `eventstore-client ${VERSION}\n`);
  assert.match(await shell.prints(["--help"]), /^eventstore-client: .*Exit codes:\n {2}0 /s);
  for (const { name } of clientProgram.verbs) {
    assert.match(
      await shell.prints([name, "--help"]),
      new RegExp(`^eventstore-client ${name}: .*Usage: `, "s"),
    );
  }
});
