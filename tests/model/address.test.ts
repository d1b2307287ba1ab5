import assert from "node:assert/strict";
import { isHost, isLoopback } from "../../src/model/address.ts";

const LOOPBACK = [
  "localhost",
  "LocalHost",
  "127.0.0.1",
  "127.255.3.4",
  "127.1",
  "::1",
  "[::1]",
  "0:0:0:0:0:0:0:1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
];

const OTHERS = [
  "",
  "0.0.0.0",
  "0",
  "::",
  "[::]",
  "::ffff:0.0.0.0",
  "::ffff:10.0.0.1",
  "::ffff:7f",
  "10.0.0.127",
  "192.168.127.1",
  "fe80::1",
  "fe80::1%eth0",
  "1::1",
  "localhost.",
  "localhost.example.com",
  "127.0.0.1.example.com",
  "eventstore",
  "a b",
];

Deno.test("loopback is 127/8, ::1, the former in the latter's notation, and localhost", () => {
  for (const host of LOOPBACK) assert.equal(isLoopback(host), true, host);
  for (const host of OTHERS) assert.equal(isLoopback(host), false, host);
});

Deno.test("an address or a name may be a host; a URL, a port, and what is no address may not", () => {
  const hosts = ["0.0.0.0", "::", "fe80::1%eth0", "::ffff:1.2.3.4", "a", "a_b.c-d.example.", "x".repeat(63)];
  for (const text of [...LOOPBACK, ...hosts]) assert.equal(isHost(text), true, text);
  const others = [
    "",
    "8085",
    "localhost:8085",
    "127.0.0.1:1",
    "[::1]:1",
    "http://a",
    "unix:/a",
    "1.2.3.256",
    "1.2.3.4.5",
  ];
  for (
    const text of [...others, "*", "a b", "-a", "a..b", ":::", "::g", "x".repeat(64), "a/8", "::1/64", "~"]
  ) {
    assert.equal(isHost(text), false, text);
  }
});
