import assert from "node:assert/strict";
import { isLoopback } from "../../src/model/address.ts";

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
