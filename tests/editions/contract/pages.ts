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

/** Tests of foreign web pages, without a token. They start their own servers. */
export function contractOfPages(edition: ContractEdition, named: (name: string) => string): void {
  // Development mode has more to lose, and other modes other paths. A unix socket is the same for every edition.
  const inDevMode = edition.name === "A";
  const paths = inDevMode
    ? edition.paths
    : edition.paths.filter(([path]) => !/^\/(reset|debug\/pprof)/.test(path));
  for (const listen of inDevMode ? ["tcp", "unix"] as const : ["tcp"] as const) {
    Deno.test(named(`${listen}, no token: requests of web pages`), async (test) => {
      await using server = await startServer({
        listen,
        listenOnly: true,
        env: {
          SERVICE_EDITION: edition.name,
          SERVICE_ALLOWED_HOSTS: "shop.example",
          SERVICE_DEV_MODE: String(inDevMode),
        },
      });
      const subject = new Subject(edition, server.client());
      const health = (...fields: string[]): Promise<Reply> =>
        send(server.address, "GET /health HTTP/1.1", fields);

      await test.step("every request of a page of others is 403 and does nothing", async () => {
        await subject.append(eventOf("t", "1"));
        const version = await subject.createProjection("t", "a", "");
        for (const fields of [...PAGES_OF_OTHERS, REBOUND, REBOUND_GET]) {
          for (const [target, methods] of [...paths, ["/unknown", ["GET"]], ["/%zz", ["PUT"]]] as const) {
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
      });

      await test.step("an allowed host may be asked for, and its pages may ask", async () => {
        const own = ["Host: shop.example", "Origin: https://shop.example", "Sec-Fetch-Site: same-origin"];
        for (const fields of [own, ["Host: SHOP.example:8085"], ["Host: localhost"]]) {
          assert.equal((await health(...fields)).status, 200);
        }
        assertPlainText(await health("Host: shop.example", "Origin: https://a.shop.example"), 403);
        if (inDevMode) {
          const page = ["Host: localhost", "Origin: http://localhost:3000"];
          assert.equal((await send(server.address, "POST /reset HTTP/1.1", page)).status, 204);
        }
      });

      if (listen === "unix") return;
      await test.step("the rejection names the Host that was sent, and the setting", async () => {
        assert.equal(
          (await health("Host: other.example:8085")).text,
          'rejected without a token: the Host "other.example:8085" may be a name that a stranger pointed here; ' +
            "add it to allowedHosts (SERVICE_ALLOWED_HOSTS), or turn on enableAuth\n",
        );
      });

      await test.step("health checks and scrapers come in by address, by short names and without Host", async () => {
        for (const host of ["10.1.2.3:8085", "[fd00::1]:8085", "eventstore", "a.svc.cluster.local"]) {
          assert.equal((await health(`Host: ${host}`)).status, 200, host);
        }
        for (const target of ["/health", "/metrics"]) {
          assert.equal((await send(server.address, `GET ${target} HTTP/1.0`, [])).status, 200);
        }
      });
    });
  }
}

/** With a token, `Host` and `Origin` are not checked. */
export async function assertPagesNeedOnlyToken(address: Address, token: string): Promise<void> {
  for (const fields of [...PAGES_OF_OTHERS, REBOUND]) {
    const health = (...more: string[]): Promise<Reply> =>
      send(address, "GET /health HTTP/1.1", [...fields, ...more]);
    assert.equal((await health()).status, 401);
    assert.equal((await health(`Authorization: Bearer ${token}`)).status, 200);
  }
}
