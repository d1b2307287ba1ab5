import assert from "node:assert/strict";
import { crc32 } from "node:zlib";
import { newToken } from "../../cli/new_token.ts";
import { inDirectory } from "../support/directory.ts";
import { startServer } from "../support/server_process.ts";
import { runInit } from "./run_init.ts";

Deno.test("eventstore-init token makes a token that a server with its lines accepts, and nothing else", async () => {
  await inDirectory(async (directory) => {
    const flags = [
      ["--may", "read, write"],
      ["--within", "tenant=t1", "--within", "a b=c=d"],
      ["--expires", "2098-12-31T23:00:00Z"],
    ].flat();
    const { code, stdout, stderr } = await runInit(directory, ["token", "report-1", ...flags]);
    assert.deepEqual([code, stderr, [...Deno.readDirSync(directory)]], [0, "", []]);
    const [, token = ""] = /^(eventstore_\w+)$/m.exec(stdout)!;
    assert.ok(hasItsChecksum(token));
    const lines = stdout.slice(stdout.indexOf("[[tokens]]"));
    assert.ok(!lines.includes(token));
    await using server = await startServer({ config: `[server]\nenableAuth = true\n\n${lines}` });
    const reply = await server.client({ authorization: `Bearer ${token}` }).request("GET", "/whoami");
    assert.deepEqual(JSON.parse(reply.text), {
      edition: "A",
      name: "report-1",
      may: ["read", "write"],
      within: { tenant: "t1", "a b": "c=d" },
      expires: "2098-12-31T23:00:00.000000Z",
    });
    assert.ok(!(server.stdout + server.stderr).includes(token));
  });
});

Deno.test("a faulty request for a token is rejected with each fault", async () => {
  await inDirectory(async (directory) => {
    const failure = async (...args: string[]): Promise<string[]> => {
      const { code, stdout, stderr } = await runInit(directory, ["token", ...args]);
      assert.deepEqual([code, stdout], [2, ""]);
      return stderr.trimEnd().split("\n").map((line) => line.replace("eventstore-init: ", ""));
    };
    assert.deepEqual(await failure("a b", "--may", "fly", "--expires", "2027-01-31"), [
      'the name must be letters, digits, ".", "_" and "-", at most 63, beginning with a letter or a digit, not "a b"',
      '--may takes read, write, copy, keys, forget, operate, develop, with commas in between, not "fly"',
      '--expires takes a time with its offset, as in 2027-01-31T00:00:00Z, not "2027-01-31" ' +
      "(help: eventstore-init token --help)",
    ]);
    for (const wrong of ["tenant", "=t1", "tenant="]) {
      const [line] = await failure("a", "--may", "read", "--within", wrong);
      assert.match(line!, /^--within takes an identifier, as in tenant=t1, and each name once, not "/);
    }
    assert.match(
      (await failure("a", "--may", "read", "--within", "t=1", "--within", "t=2"))[0]!,
      /not "t=2"/,
    );
    const many = Array.from({ length: 21 }, (_, i) => ["--within", `t${i}=1`]).flat();
    assert.match(
      (await failure("a", "--may", "read", ...many))[0]!,
      /^--within can be given 20 times at most/,
    );
    assert.match(
      (await failure("a", "--may", "read,operate", "--within", "t=1"))[0]!,
      /^--may takes read, write, with commas in between, not "operate"/,
    );
    assert.match((await failure("a"))[0]!, /--may/);
    assert.match((await failure("--may", "read"))[0]!, /name/);
  });
});

const BASE_62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** True for a text that docs/tokens.md describes: 33 digits and their CRC-32, in base 62. */
function hasItsChecksum(text: string): boolean {
  const [, digits = "", sum = ""] = /^eventstore_([0-9A-Za-z]{33})([0-9A-Za-z]{6})$/.exec(text) ?? [];
  const value = [...sum].reduce((value, digit) => 62 * value + BASE_62.indexOf(digit), 0);
  return digits !== "" && value === crc32(digits);
}

Deno.test("the checksum of a token shows a mistake in any of its digits", () => {
  const token = newToken();
  assert.match(token, /^eventstore_[0-9A-Za-z]{39}$/);
  assert.notEqual(token, newToken());
  for (let i = 0; i < token.length; i++) {
    const other = token[i] === "x" ? "y" : "x";
    assert.ok(!hasItsChecksum(token.slice(0, i) + other + token.slice(i + 1)), `${i}`);
  }
  assert.ok(!hasItsChecksum(token.slice(0, -1)) && !hasItsChecksum(`${token}0`) && !hasItsChecksum(""));
});
