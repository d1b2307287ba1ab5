import assert from "node:assert/strict";
import { type Address, Connection, type Reply } from "../../support/connection.ts";
import { assertPlainText } from "../../support/replies.ts";
import { startServer } from "../../support/server_process.ts";
import { type ContractEdition, eventOf, Subject } from "./edition.ts";

/** Header fields that a browser sends for a page of another site, or for a page without an origin. */
const PAGES_OF_OTHERS: readonly (readonly string[])[] = [
  ["Host: localhost", "Origin: https://evil.example", "Sec-Fetch-Site: cross-site"],
  ["Host: 127.0.0.1:8085", "Origin: https://evil.example"],
  ["Host: localhost", "Origin: null"],
  ["Host: localhost", "Sec-Fetch-Site: cross-site"],
];
const REBOUND: readonly string[] = [
  "Host: evil.example:8085",
  "Origin: http://evil.example:8085",
  "Sec-Fetch-Site: same-origin",
];
/** A `GET` of a page to its own origin has no `Origin` field, and over plain HTTP no `Sec-Fetch-Site` either. */
const REBOUND_GET: readonly string[] = ["Host: evil.example:8085"];

async function send(address: Address, requestLine: string, fields: readonly string[]): Promise<Reply> {
  using connection = await Connection.open(address);
  // A browser sends this content type without a preflight request.
  const head = [requestLine, ...fields, "Connection: close", "Content-Type: text/plain", "Content-Length: 0"];
  await connection.send(`${head.join("\r\n")}\r\n\r\n`);
  return await connection.readReply(requestLine.split(" ")[0]!);
}

/** Tests of foreign web pages, without a token and outside development mode. They start their own servers. */
export function contractOfPages(edition: ContractEdition, named: (name: string) => string): void {
  const start = (listen: "tcp" | "unix", env: Readonly<Record<string, string>> = {}) =>
    startServer({ listen, listenOnly: true, env: { ...env, SERVICE_EDITION: edition.name } });
  const productive = edition.paths.filter(([path]) => !/^\/(reset|debug\/pprof)/.test(path));

  for (const listen of ["tcp", "unix"] as const) {
    const pages = listen === "tcp"
      ? [...PAGES_OF_OTHERS, REBOUND, REBOUND_GET]
      : [...PAGES_OF_OTHERS, REBOUND];
    Deno.test(
      named(`${listen}, no token: every request of a page of others is 403 and does nothing`),
      async () => {
        await using server = await start(listen);
        const subject = new Subject(edition, server.client());
        await subject.append(eventOf("t", "1"));
        const version = await subject.createProjection("t", "a", "");
        for (const fields of pages) {
          for (const [target, methods] of [...productive, ["/unknown", ["GET"]] as const]) {
            for (const method of methods) {
              const reply = await send(server.address, `${method} ${target} HTTP/1.1`, fields);
              if (method === "HEAD") assert.equal(reply.status, 403);
              else assertPlainText(reply, 403);
            }
          }
        }
        const read = await subject.client.request("GET", "/projections/t/a");
        assert.equal(read.headers.get("x-service-version"), version);
        await subject.append(eventOf("t", "2"));
        assert.deepEqual(await subject.payloads(), ["1", "2"]);
      },
    );

    Deno.test(
      named(`${listen}, no token: an allowed host may be asked for, and its pages may ask`),
      async () => {
        await using server = await start(listen, { SERVICE_ALLOWED_HOSTS: "shop.example" });
        const health = (...fields: string[]): Promise<Reply> =>
          send(server.address, "GET /health HTTP/1.1", fields);
        const own = ["Host: shop.example", "Origin: https://shop.example", "Sec-Fetch-Site: same-origin"];
        assert.equal((await health(...own)).status, 200);
        assert.equal((await health("Host: SHOP.example:8085")).status, 200);
        assert.equal((await health("Host: localhost")).status, 200);
        for (
          const fields of [REBOUND, REBOUND_GET, ["Host: shop.example", "Origin: https://a.shop.example"]]
        ) {
          assertPlainText(await health(...fields), 403);
        }
      },
    );
  }

  Deno.test(named("no token: the rejection names the Host that was sent, and the setting"), async () => {
    await using server = await start("tcp");
    const { text } = await send(server.address, "GET /health HTTP/1.1", ["Host: shop.example:8085"]);
    assert.equal(
      text,
      'rejected without a token: the Host "shop.example:8085" may be a name that a stranger pointed here; ' +
        "add it to allowedHosts (SERVICE_ALLOWED_HOSTS), or turn on enableAuth\n",
    );
  });

  Deno.test(
    named("no token: health checks and scrapers come in by address, by short names and without Host"),
    async () => {
      await using server = await start("tcp");
      const fields = [["Host: 10.1.2.3:8085"], ["Host: [fd00::1]:8085"], ["Host: eventstore"], [
        "Host: a.svc.cluster.local",
      ]];
      for (const host of fields) {
        assert.equal((await send(server.address, "GET /health HTTP/1.1", host)).status, 200, host[0]);
      }
      for (const target of ["/health", "/metrics"]) {
        assert.equal((await send(server.address, `GET ${target} HTTP/1.0`, [])).status, 200);
      }
    },
  );

  Deno.test(named("with a token, Host and Origin are not checked"), async () => {
    await using server = await start("tcp", { SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: "t" });
    for (const fields of [...PAGES_OF_OTHERS, REBOUND]) {
      const health = (...more: string[]): Promise<Reply> =>
        send(server.address, "GET /health HTTP/1.1", [...fields, ...more]);
      assert.equal((await health()).status, 401);
      assert.equal((await health("Authorization: Bearer t")).status, 200);
    }
  });
}
