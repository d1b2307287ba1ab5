import assert from "node:assert/strict";
import { makeOriginCheck } from "../../src/http/own_origin.ts";
import type { Address } from "../../src/model/address.ts";

const TCP: Address = { transport: "tcp", hostname: "127.0.0.1", port: 8085 };
const UNIX: Address = { transport: "unix", path: "/s" };

function refused(fields: Readonly<Record<string, string>>, listen = TCP): boolean {
  const request = { header: (name: string) => fields[name] };
  return makeOriginCheck(listen)(request) !== undefined;
}

const host = "localhost:8085";

Deno.test("a page of this machine may ask, on any port; any other page, and one without a name, may not", () => {
  for (const listen of [TCP, UNIX]) {
    for (const name of ["localhost", "127.0.0.1", "127.1.2.3", "[::1]"]) {
      for (const origin of [`http://${name}`, `http://${name}:3000`, `https://${name}:8443`]) {
        assert.equal(refused({ host, origin }, listen), false, origin);
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
    ) assert.equal(refused({ host, origin }, listen), true, origin);
  }
});

Deno.test("a request for another site is refused, unless its Origin is a page of this machine", () => {
  assert.equal(refused({ host, "sec-fetch-site": "cross-site" }), true);
  assert.equal(refused({ host, "sec-fetch-site": "cross-site" }, UNIX), true);
  assert.equal(refused({ host, "sec-fetch-site": "cross-site", "origin": "http://localhost:3000" }), false);
  for (const site of ["none", "same-origin", "same-site"]) {
    assert.equal(refused({ host, "sec-fetch-site": site }), false, site);
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
    for (const port of ["", ":8085", ":"]) assert.equal(refused({ host: name + port }), false, name + port);
  }
  for (
    const name of ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "a.b", "localhost."]
  ) {
    for (const port of ["", ":8085"]) assert.equal(refused({ host: name + port }), true, name + port);
    assert.equal(refused({ host: name }, UNIX), false, "behind a unix socket a proxy chooses the name");
  }
  assert.equal(refused({}), false, "HTTP/1.0, which no browser speaks");
  const bound: Address = { transport: "tcp", hostname: "Events.Example.com", port: 8085 };
  assert.equal(refused({ host: "events.example.com:8085" }, bound), false);
  assert.equal(refused({ host: "other.example.com:8085" }, bound), true);
});
