import assert from "node:assert/strict";
import { Session } from "../../../../src/store/postgres/protocol/session.ts";

/** Listens like a server that says something else than PostgreSQL, or nothing. */
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

Deno.test("what is not PostgreSQL is refused, and so is one that does not speak TLS", async () => {
  const cases: readonly [answer: Uint8Array | undefined, tls: boolean, why: RegExp][] = [
    [
      encoder.encode("HTTP/1.1 400 Bad Request\r\n\r\n"),
      false,
      /this is not PostgreSQL|PostgreSQL has closed/,
    ],
    [undefined, false, /PostgreSQL has closed the connection/],
    [undefined, true, /PostgreSQL does not offer TLS here/],
    [encoder.encode("N"), true, /PostgreSQL does not offer TLS here/],
    // Unencrypted words behind the consent would count as if they were encrypted.
    [encoder.encode("SR"), true, /PostgreSQL does not offer TLS here/],
    // It would have been let in without a proof that the server knows the password.
    [Uint8Array.of(0x52, 0, 0, 0, 8, 0, 0, 0, 3), false, /wants to see the password without TLS/],
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
