import assert from "node:assert/strict";
import { join } from "node:path";
import { inDirectory } from "../../support/directory.ts";
import { clearSocketPath, ListenError, withSocketMode } from "../../../src/http/transport/unix_socket.ts";

/** A socket that its server has left behind. */
async function leaveStaleSocket(path: string): Promise<void> {
  // The runtime removes a socket that it closes, a process that is killed does not.
  const script = `Deno.listen({ transport: "unix", path: ${
    JSON.stringify(path)
  } }); Deno.kill(Deno.pid, "SIGKILL");`;
  await new Deno.Command(Deno.execPath(), { args: ["eval", "--quiet", script] }).output();
  assert.equal(Deno.lstatSync(path).isSocket, true);
}

async function assertRefused(path: string, expected: RegExp): Promise<void> {
  await assert.rejects(clearSocketPath(path), (error) => {
    assert.ok(error instanceof ListenError);
    assert.match(error.message, expected);
    assert.equal(error.message.includes("\n"), false);
    return true;
  });
}

Deno.test("a path where nothing exists needs no clearing", async () => {
  await inDirectory(async (directory, path) => {
    await clearSocketPath(path);
    assert.deepEqual([...Deno.readDirSync(directory)], []);
  });
});

Deno.test("a stale socket is removed", async () => {
  await inDirectory(async (_, path) => {
    await leaveStaleSocket(path);
    await clearSocketPath(path);
    assert.throws(() => Deno.lstatSync(path), Deno.errors.NotFound);
  });
});

Deno.test("a socket on which a server answers is refused and stays", async () => {
  await inDirectory(async (_, path) => {
    using _listener = Deno.listen({ transport: "unix", path });
    await assertRefused(path, /in use: a server listens/);
    assert.equal(Deno.lstatSync(path).isSocket, true);
  });
});

Deno.test("anything that is not a socket is refused and stays, links to a socket included", async () => {
  await inDirectory(async (directory, path) => {
    const socket = join(directory, "other.sock");
    await leaveStaleSocket(socket);
    const makers: (() => void)[] = [
      () => Deno.writeTextFileSync(path, "content"),
      () => Deno.mkdirSync(path),
      () => Deno.symlinkSync("nowhere", path),
      () => Deno.symlinkSync(socket, path),
    ];
    for (const make of makers) {
      make();
      const before = Deno.lstatSync(path);
      await assertRefused(path, /exists and is not a socket/);
      assert.equal(Deno.lstatSync(path).ino, before.ino);
      Deno.removeSync(path);
    }
    assert.equal(Deno.lstatSync(socket).isSocket, true);
  });
});

Deno.test("a missing directory is refused with the command that creates it, and is not created", async () => {
  await inDirectory(async (directory) => {
    const missing = join(directory, "run");
    await assertRefused(join(missing, "server.sock"), /does not exist: create it with "mkdir -p .*\/run"/);
    assert.throws(() => Deno.statSync(missing), Deno.errors.NotFound);
    await assertRefused(`${missing}/`, /does not exist: create it with "mkdir -p .*\/run"/);
    Deno.writeTextFileSync(missing, "a file");
    await assertRefused(join(missing, "server.sock"), /does not exist/);
  });
});

Deno.test("a path without a directory is looked for in the working directory", async () => {
  const before = Deno.cwd();
  await inDirectory(async (directory) => {
    Deno.chdir(directory);
    try {
      await clearSocketPath("server.sock");
      Deno.writeTextFileSync("server.sock", "");
      await assertRefused("server.sock", /not a socket/);
    } finally {
      Deno.chdir(before);
    }
  });
});

for (const mode of [0o600, 0o660, 0o777, 0o000]) {
  Deno.test(`a socket begins at 0600 and ends at ${mode.toString(8).padStart(4, "0")}, and the umask is put back`, async () => {
    await inDirectory((_, path) => {
      const umask = Deno.umask();
      let first = -1;
      using _listener = withSocketMode(path, mode, () => {
        const listener = Deno.listen({ transport: "unix", path });
        first = Deno.lstatSync(path).mode! & 0o777;
        return listener;
      });
      assert.equal(first, 0o600);
      assert.equal(Deno.lstatSync(path).mode! & 0o777, mode);
      assert.equal(Deno.umask(), umask);
      return Promise.resolve();
    });
  });
}

Deno.test("the umask is put back when listening fails", () => {
  const umask = Deno.umask();
  assert.throws(() =>
    withSocketMode("/nowhere", 0o600, () => {
      throw new Error("cannot listen");
    }), /cannot listen/);
  assert.equal(Deno.umask(), umask);
});
