import assert from "node:assert/strict";
import { makeOriginCheck } from "../../src/http/own_origin.ts";
import type { Address } from "../../src/model/address.ts";

const TCP: Address = { transport: "tcp", hostname: "127.0.0.1", port: 8085 };
const UNIX: Address = { transport: "unix", path: "/s" };
const BOTH: readonly Address[] = [TCP, UNIX];

type Fields = Readonly<Record<string, string>>;

function reasonFor(fields: Fields, listen = TCP, allowedHosts: readonly string[] = []): string | undefined {
  return makeOriginCheck(listen, allowedHosts)({ header: (name: string) => fields[name] });
}

function rejected(fields: Fields, listen = TCP, allowedHosts: readonly string[] = []): boolean {
  return reasonFor(fields, listen, allowedHosts) !== undefined;
}

const host = "localhost:8085";

Deno.test("a page of this machine may send requests, on any port; any other page, and one without a name, may not", () => {
  for (const listen of BOTH) {
    for (const name of ["localhost", "127.0.0.1", "127.1.2.3", "[::1]"]) {
      for (const origin of [`http://${name}`, `http://${name}:3000`, `https://${name}:8443`]) {
        assert.equal(rejected({ host, origin }, listen), false, origin);
      }
    }
    for (
      const origin of [
        "null",
        "",
        "https://evil.example",
        "http://localhost.evil.example",
        "http://127.0.0.1.evil.example",
        "http://localhost:3000, https://evil.example",
        "http://10.0.0.1:8085",
        "http://eventstore:8085",
        "chrome-extension://localhost",
        "localhost",
        "file://",
      ]
    ) assert.equal(rejected({ host, origin }, listen), true, origin);
  }
});

Deno.test("a request for another site is rejected, unless its Origin is a page of this machine", () => {
  assert.equal(rejected({ host, "sec-fetch-site": "cross-site" }), true);
  assert.equal(rejected({ host, "sec-fetch-site": "cross-site" }, UNIX), true);
  assert.equal(rejected({ host, "sec-fetch-site": "cross-site", "origin": "http://localhost:3000" }), false);
  for (const site of ["none", "same-origin", "same-site"]) {
    assert.equal(rejected({ host, "sec-fetch-site": site }), false, site);
  }
});

Deno.test("the Host must be an address or a name that no stranger can own", () => {
  const taken = [
    "localhost",
    "LOCALHOST",
    "a.localhost",
    "127.0.0.1",
    "10.1.2.3",
    "[::1]",
    "[fe80::1]",
    "eventstore",
  ];
  for (const name of [...taken, "host.docker.internal", "printer.local", "a.b.test", ""]) {
    for (const port of ["", ":8085", ":"]) assert.equal(rejected({ host: name + port }), false, name + port);
  }
  for (
    const name of ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "a.b", "localhost."]
  ) {
    for (const port of ["", ":8085"]) assert.equal(rejected({ host: name + port }), true, name + port);
    assert.equal(rejected({ host: name }, UNIX), false, "behind a unix socket a proxy chooses the name");
  }
  assert.equal(rejected({}), false, "HTTP/1.0, which no browser speaks");
  const bound: Address = { transport: "tcp", hostname: "Events.Example.com", port: 8085 };
  assert.equal(rejected({ host: "events.example.com:8085" }, bound), false);
  assert.equal(rejected({ host: "other.example.com:8085" }, bound), true);
});

const ALLOWED = ["Shop.example", "10.0.0.5", "fe80::1"];

Deno.test("an allowed host may be asked for, in any case and on any port, and nothing but that name", () => {
  for (
    const name of [
      "shop.example",
      "SHOP.example:8443",
      "shop.example:",
      "localhost",
      "10.9.9.9",
      "eventstore",
    ]
  ) {
    for (const listen of BOTH) assert.equal(rejected({ host: name }, listen, ALLOWED), false, name);
  }
  for (const name of ["a.shop.example", "shop.example.evil.example", "xshop.example", "shop.example."]) {
    for (const listen of BOTH) assert.equal(rejected({ host: name }, listen, ALLOWED), true, name);
  }
});

Deno.test("a page of an allowed host may send requests, by http and https, and no other page of its domain", () => {
  for (const listen of BOTH) {
    for (
      const origin of [
        "https://shop.example",
        "http://shop.example",
        "https://shop.example:8443",
        "http://10.0.0.5:3000",
        "http://[fe80::1]:3000",
        "http://localhost:3000",
      ]
    ) {
      assert.equal(
        rejected({ host, origin, "sec-fetch-site": "cross-site" }, listen, ALLOWED),
        false,
        origin,
      );
    }
    for (
      const origin of [
        "null",
        "https://a.shop.example",
        "https://shop.example.evil.example",
        "https://shop.example@evil.example",
        "https://shop.example, https://evil.example",
        "file://shop.example",
        "shop.example",
        "http://10.0.0.6:3000",
      ]
    ) assert.equal(rejected({ host, origin }, listen, ALLOWED), true, origin);
  }
});

Deno.test("a page under a rebound name is rejected although Origin and Host are the same", () => {
  const rebound = { host: "evil.example", origin: "http://evil.example", "sec-fetch-site": "same-origin" };
  for (const allowed of [[], ALLOWED]) {
    for (const listen of BOTH) assert.equal(rejected(rebound, listen, allowed), true);
  }
});

Deno.test("one Host that was accepted does not let in another", () => {
  const check = makeOriginCheck(TCP);
  const ask = (host: string): boolean =>
    check({ header: (name) => name === "host" ? host : undefined }) === undefined;
  assert.deepEqual(["localhost", "evil.example", "localhost", "evil.example"].map(ask), [
    true,
    false,
    true,
    false,
  ]);
});

Deno.test("the reason names the Host that was sent, and the setting that lets it in", () => {
  assert.equal(
    reasonFor({ host: "shop.example:8085" }),
    'the Host "shop.example:8085" may be a name that a stranger pointed here; ' +
      "add it to allowedHosts (SERVICE_ALLOWED_HOSTS), or turn on enableAuth",
  );
  assert.match(
    reasonFor({ host, origin: "https://shop.example" })!,
    /allowedHosts \(SERVICE_ALLOWED_HOSTS\)/,
  );
});
