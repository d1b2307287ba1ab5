import assert from "node:assert/strict";
import { join } from "node:path";
import type { Transport } from "../../../src/http/exchange.ts";
import { inDirectory, modeOf, namesIn } from "../../support/directory.ts";
import { checkSocketPath, listenAtPath, ListenError } from "../../../src/http/transport/unix_socket.ts";

/** Creates a socket file whose server has ended. */
async function leaveStaleSocket(path: string): Promise<void> {
  // The runtime removes the file of a socket that it closes. A killed process leaves it behind.
  const script = `Deno.listen({ transport: "unix", path: ${
    JSON.stringify(path)
  } }); Deno.kill(Deno.pid, "SIGKILL");`;
  await new Deno.Command(Deno.execPath(), { args: ["eval", "--quiet", script] }).output();
  assert.equal(Deno.lstatSync(path).isSocket, true);
}

/** Asserts that a path is rejected, both before the start and when the server takes it. */
async function assertRejected(path: string, expected: RegExp): Promise<void> {
  for (const reject of [checkSocketPath, take]) {
    await assert.rejects(reject(path), (error) => {
      assert.ok(error instanceof ListenError);
      assert.match(error.message, expected);
      assert.equal(error.message.includes("\n"), false);
      return true;
    });
  }
}

/** A transport that accepts connections and closes them, like the runtime's listener. */
function listenAt(path: string): Transport {
  const listener = Deno.listen({ transport: "unix", path });
  const accepting = (async () => {
    for await (const connection of listener) connection.close();
  })();
  return {
    async close() {
      listener.close();
      await accepting;
    },
  };
}

function take(path: string): Promise<Transport> {
  return listenAtPath({ path, mode: 0o600 }, listenAt);
}

async function assertAnswers(path: string): Promise<void> {
  (await Deno.connect({ transport: "unix", path })).close();
}

Deno.test("a path where nothing exists may be taken, and looking changes nothing", async () => {
  await inDirectory(async (directory, path) => {
    assert.equal(await checkSocketPath(path), undefined);
    assert.deepEqual(namesIn(directory), []);
  });
});

Deno.test("a stale socket is replaced, but not before the path is taken", async () => {
  await inDirectory(async (directory, path) => {
    await leaveStaleSocket(path);
    await checkSocketPath(path);
    assert.equal(Deno.lstatSync(path).isSocket, true);
    const transport = await take(path);
    await assertAnswers(path);
    assert.deepEqual(namesIn(directory), ["server.sock"]);
    await transport.close(0);
    assert.deepEqual(namesIn(directory), []);
  });
});

Deno.test("a socket on which a server answers is rejected and stays", async () => {
  await inDirectory(async (_, path) => {
    using _listener = Deno.listen({ transport: "unix", path });
    await assertRejected(path, /in use: a server listens/);
    assert.equal(Deno.lstatSync(path).isSocket, true);
  });
});

Deno.test("anything that is not a socket is rejected and stays, links to a socket included", async () => {
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
      await assertRejected(path, /exists and is not a socket/);
      assert.equal(Deno.lstatSync(path).ino, before.ino);
      Deno.removeSync(path);
    }
    assert.equal(Deno.lstatSync(socket).isSocket, true);
  });
});

Deno.test("a missing directory is rejected with the command that creates it, and is not created", async () => {
  await inDirectory(async (directory) => {
    const missing = join(directory, "run");
    await assertRejected(join(missing, "server.sock"), /does not exist: create it with "mkdir -p .*\/run"/);
    assert.throws(() => Deno.statSync(missing), Deno.errors.NotFound);
    await assertRejected(`${missing}/`, /does not exist: create it with "mkdir -p .*\/run"/);
    Deno.writeTextFileSync(missing, "a file");
    await assertRejected(join(missing, "server.sock"), /does not exist/);
  });
});

Deno.test("a path without a directory is looked for in the working directory", async () => {
  const before = Deno.cwd();
  await inDirectory(async (directory) => {
    Deno.chdir(directory);
    try {
      const transport = await take("server.sock");
      await assertAnswers(join(directory, "server.sock"));
      await transport.close(0);
      assert.deepEqual(namesIn(directory), []);
      Deno.writeTextFileSync("server.sock", "");
      await assertRejected("server.sock", /not a socket/);
    } finally {
      Deno.chdir(before);
    }
  });
});

for (const mode of [0o600, 0o660, 0o777, 0o000]) {
  Deno.test(`a socket begins at 0600 and ends at ${mode.toString(8).padStart(4, "0")}, and the umask is restored`, async () => {
    await inDirectory(async (directory, path) => {
      const umask = Deno.umask();
      let first = -1;
      const transport = await listenAtPath({ path, mode }, (temporary) => {
        const transport = listenAt(temporary);
        first = modeOf(temporary);
        assert.deepEqual(namesIn(directory).includes("server.sock"), false, "it has no name yet");
        return transport;
      });
      assert.equal(first, 0o600);
      assert.equal(modeOf(path), mode);
      assert.equal(Deno.umask(), umask);
      await transport.close(0);
    });
  });
}

Deno.test("the umask is restored when listening fails, and no file is left", async () => {
  await inDirectory(async (directory, path) => {
    const umask = Deno.umask();
    const failing = (): Transport => {
      throw new Error("cannot listen");
    };
    await assert.rejects(listenAtPath({ path, mode: 0o600 }, failing), /cannot listen/);
    assert.equal(Deno.umask(), umask);
    assert.deepEqual(namesIn(directory), []);
  });
});

Deno.test("closing leaves the socket of another server alone, and it stays reachable", async () => {
  await inDirectory(async (_, path) => {
    const first = await take(path);
    Deno.removeSync(path);
    const second = await take(path);
    await first.close(0);
    await assertAnswers(path);
    await second.close(0);
    assert.throws(() => Deno.lstatSync(path), Deno.errors.NotFound);
  });
});

Deno.test("closing is no error when the directory of the socket is gone, or cannot be searched any more", async () => {
  await inDirectory(async (directory) => {
    const inner = join(directory, "run");
    for (const inItsPlace of [undefined, "run"]) {
      Deno.mkdirSync(inner);
      const transport = await take(join(inner, "server.sock"));
      Deno.removeSync(inner, { recursive: true });
      // A link to itself, which cannot be followed.
      if (inItsPlace !== undefined) Deno.symlinkSync(inItsPlace, inner);
      await transport.close(0);
    }
  });
});

Deno.test("of two servers that take a path at one moment one is rejected, and the other is reachable", async () => {
  await inDirectory(async (directory, path) => {
    for (const isStale of [false, true]) {
      if (isStale) await leaveStaleSocket(path);
      const starts = [0, 1].map(() => take(path));
      const [won, lost] = (await Promise.allSettled(starts)).toSorted((a, b) => a.status < b.status ? -1 : 1);
      assert.ok(won?.status === "fulfilled" && lost?.status === "rejected");
      assert.match(String(lost.reason), /ListenError: socketPath .* is in use: a server listens on it$/);
      await assertAnswers(path);
      assert.deepEqual(namesIn(directory), ["server.sock"]);
      await won.value.close(0);
    }
  });
});

Deno.test("where the file system has no hard links, the socket gets its name by renaming", async () => {
  await inDirectory(async (directory, path) => {
    const { linkSync } = Deno;
    try {
      Object.assign(Deno, {
        linkSync: () => {
          throw new Deno.errors.NotSupported();
        },
      });
      const transport = await listenAtPath({ path, mode: 0o640 }, listenAt);
      await assertAnswers(path);
      assert.equal(modeOf(path), 0o640);
      assert.deepEqual(namesIn(directory), ["server.sock"]);
      await transport.close(0);
      assert.deepEqual(namesIn(directory), []);
    } finally {
      Object.assign(Deno, { linkSync });
    }
  });
});

for (const bytes of [107, 100, 99, 98]) {
  Deno.test(`a server can listen at a path of ${bytes} bytes, however long the file name is`, async () => {
    await inDirectory(async (directory) => {
      for (const name of ["s", "a name of 20 bytes !"]) {
        const inner = join(directory, "d".repeat(bytes - directory.length - name.length - 2));
        Deno.mkdirSync(inner);
        const path = join(inner, name);
        assert.equal(path.length, bytes);
        const transport = await take(path);
        await assertAnswers(path);
        assert.deepEqual(namesIn(inner), [name]);
        await transport.close(0);
        assert.deepEqual(namesIn(inner), []);
      }
    });
  });
}
