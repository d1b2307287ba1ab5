import assert from "node:assert/strict";
import { Session } from "../../../../src/store/postgres/protocol/session.ts";

/** Listens like a server that does not speak PostgreSQL's protocol, or says nothing. */
async function withServer(
  answer: Uint8Array | undefined,
  test: (port: number) => Promise<void>,
): Promise<void> {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = listener.accept().then(async (conn) => {
    await conn.read(new Uint8Array(1024));
    if (answer !== undefined) await conn.write(answer);
    conn.close();
  });
  await test(listener.addr.port);
  await serving;
}

function open(port: number, tls: boolean): Promise<Session> {
  const trust = { verifiesName: true, authoritiesPath: undefined };
  const server = { transport: "tcp", hostname: "127.0.0.1", port, tls: tls ? trust : undefined } as const;
  const address = { server, user: "u", password: "secret", database: "d" };
  return Session.open(address, { parameters: {}, silenceMilliseconds: 5000 });
}

const encoder = new TextEncoder();

/** A message of PostgreSQL. */
function message(kind: string, ...parts: readonly (number | string)[]): number[] {
  const body = parts.flatMap((part) =>
    typeof part === "number" ? [0, 0, 0, part] : [...encoder.encode(part)]
  );
  const length = new DataView(new ArrayBuffer(4));
  length.setInt32(0, body.length + 4);
  return [kind.charCodeAt(0), ...new Uint8Array(length.buffer), ...body];
}

Deno.test("a server that has not proven its identity is not believed, and takes no memory", async () => {
  const cases: readonly [answer: readonly number[], why: RegExp][] = [
    [message("R", 0), /lets u in without asking for the password/],
    [[...message("R", 0), ...message("Z", "I")], /lets u in without asking for the password/],
    [message("R", 5, "salt"), /wants to see an MD5 hash of the password/],
    [message("R", 10, "SCRAM-SHA-256-PLUS\0OAUTHBEARER\0\0"), /wants to see a login of kind 10/],
    [message("R", 11, "r=x,s=AAAA,i=4096"), /wants to see a login of kind 11/],
    [message("R", 12, "v=undefined"), /wants to see a login of kind 12/],
    [message("R"), /this is not PostgreSQL/],
    [message("N", "MA notice\0\0"), /this is not PostgreSQL/],
    [message("A", 1, "channel\0payload\0"), /this is not PostgreSQL/],
    [["E".charCodeAt(0), 0x3f, 0xff, 0xff, 0xff], /this is not PostgreSQL/],
    [message("E", `M${"x".repeat(30_000)}\0\0`), /this is not PostgreSQL/],
  ];
  for (const [answer, why] of cases) {
    await withServer(Uint8Array.from(answer), async (port) => {
      await assert.rejects(open(port, false), why);
    });
  }
});

Deno.test("a proof is given once in a login", async () => {
  const requests: string[] = [];
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = listener.accept().then(async (conn) => {
    const read = async (): Promise<string> => {
      const bytes = new Uint8Array(1024);
      return new TextDecoder().decode(bytes.subarray(0, await conn.read(bytes) ?? 0));
    };
    await read();
    await conn.write(Uint8Array.from(message("R", 10, "SCRAM-SHA-256\0\0")));
    const nonce = /r=(.*)$/.exec(await read())![1]!;
    // Each salt would give the server another proof to guess the password from.
    for (const salt of ["AAAA", "BBBB"]) {
      await conn.write(Uint8Array.from(message("R", 11, `r=${nonce}+,s=${salt},i=4096`)));
      requests.push(await read());
    }
    conn.close();
  });
  await assert.rejects(open(listener.addr.port, false), /wants to see a login of kind 11/);
  await serving;
  assert.match(requests[0]!, /^p.*,p=/s);
  assert.equal(requests[1], "");
});

Deno.test("an unknown server's message is shown in one line, without its control characters", async () => {
  const said = "no\u001b[2J\r\nserver: listening\u202e ".padEnd(20_000, "x");
  await withServer(Uint8Array.from(message("E", "C28000\0", `M${said}\0\0`)), async (port) => {
    await assert.rejects(open(port, false), ({ message }: Error) => {
      assert.match(message, /^no \[2J server: listening {2}x+$/);
      return message.length <= 1000;
    });
  });
});

Deno.test("a server that is not PostgreSQL, or does not support TLS, is rejected", async () => {
  const cases: readonly [answer: Uint8Array | undefined, tls: boolean, why: RegExp][] = [
    [
      encoder.encode("HTTP/1.1 400 Bad Request\r\n\r\n"),
      false,
      /this is not PostgreSQL|PostgreSQL has closed/,
    ],
    [undefined, false, /PostgreSQL has closed the connection/],
    [undefined, true, /PostgreSQL does not offer TLS here/],
    [encoder.encode("N"), true, /PostgreSQL does not offer TLS here/],
    // Unencrypted bytes behind the consent would count as if they were encrypted.
    [encoder.encode("SR"), true, /PostgreSQL does not offer TLS here/],
    // The client would be logged in without a proof that the server knows the password.
    [
      Uint8Array.of(0x52, 0, 0, 0, 8, 0, 0, 0, 3),
      false,
      /wants to see the password without TLS that has checked the name/,
    ],
  ];
  for (const [answer, tls, why] of cases) {
    await withServer(answer, async (port) => {
      await assert.rejects(open(port, tls), ({ name, message }: Error) => {
        assert.equal(name, "SessionLost");
        assert.match(message, why);
        return true;
      });
    });
  }
});
