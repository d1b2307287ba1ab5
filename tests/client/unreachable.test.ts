import assert from "node:assert/strict";
import { EventStore, type EventStoreOptions, Unavailable } from "../../client/mod.ts";
import { failureOf } from "../../client/failures.ts";
import { freePort } from "../support/free_port.ts";
import { counted } from "./school.ts";
import { failure, note, type SchoolEvents, startTestServer, storeOf } from "./support.ts";

Deno.test("a client that has never reached its server says so at once, with the address and the reason", async () => {
  const url = `http://127.0.0.1:${freePort()}`;
  const unreachable: readonly (readonly [EventStoreOptions, message: string])[] = [
    [{ socketPath: "/nowhere/service.sock" }, "cannot reach /nowhere/service.sock (no such socket)"],
    [{ url }, `cannot reach ${url} (connection refused)`],
    [{ url: "http://nowhere.invalid" }, "cannot reach http://nowhere.invalid (unknown host)"],
  ];
  for (const [options, message] of unreachable) {
    const store = new EventStore<SchoolEvents>({ ...options, retrySeconds: 60 });
    const calls = [
      store.read("*"),
      store.append(note("1")),
      store.decide(counted, () => note("1")),
      store.writeOnce("1", note("1")),
      store.follow("*").next(),
      store.project("p", counted).next(),
    ];
    for (const error of await Promise.all(calls.map(failure))) {
      assert.ok(error instanceof Unavailable);
      assert.deepEqual([error.code, error.message, error.outcomeUnknown], ["NeverReached", message, false]);
    }
  }
});

for (const listen of ["tcp", "unix"] as const) {
  Deno.test(`${listen}: what was not sent is repeated, also a write, and the error in the end has the time`, async () => {
    await using server = await startTestServer(listen);
    const [hasty, patient] = [storeOf(server, { retrySeconds: 0.3 }), storeOf(server, { retrySeconds: 60 })];
    await hasty.head();
    await patient.head();
    await server.stop();
    for (const error of await Promise.all([hasty.head(), hasty.append(note("1"))].map(failure))) {
      assert.ok(error instanceof Unavailable);
      assert.deepEqual([error.code, error.outcomeUnknown], ["Unreachable", false]);
      assert.match(
        error.message,
        /^cannot reach \S+ \((connection refused|no such socket)\), tried for 0\.3 s$/,
      );
    }
    const appending = patient.append(note("1"));
    await server.start();
    assert.equal((await appending).events[0]?.sequence, 1);
  });
}

type Facts = { readonly code?: string; readonly syscall?: string; readonly errors?: readonly Error[] };

const failed = (message: string, facts: Facts = {}): Error => Object.assign(new Error(message), facts);
const inDeno = (message: string): Error =>
  failed(`error sending request for url (http://a/(Connect)): ${message}`);
const connect = (message: string): Error => inDeno(`client error (Connect): ${message}`);
const refused = failed("connect ECONNREFUSED ::1:1", { code: "ECONNREFUSED", syscall: "connect" });

const UNTRUSTED = "the certificate's authority is not trusted; set DENO_CERT or NODE_EXTRA_CA_CERTS";

/** As Deno, Node and Bun report a request that was never sent. */
const unsent: readonly (readonly [cause: Error, reason: string])[] = [
  [connect("tcp connect error: Connection refused (os error 111)"), "connection refused"],
  [connect("dns error: failed to lookup address information"), "unknown host"],
  [connect("connection timed out"), "client error (Connect): connection timed out"],
  [connect("invalid peer certificate: UnknownIssuer"), UNTRUSTED],
  [connect("invalid peer certificate: Other(OtherError(CaUsedAsEndEntity))"), UNTRUSTED],
  [refused, "connection refused"],
  [failed("", { code: "ECONNREFUSED", errors: [refused] }), "connection refused"],
  [failed("getaddrinfo ENOTFOUND a", { code: "ENOTFOUND", syscall: "getaddrinfo" }), "unknown host"],
  [failed("connect ENOENT /s", { code: "ENOENT", syscall: "connect" }), "no such socket"],
  [failed("self-signed certificate", { code: "DEPTH_ZERO_SELF_SIGNED_CERT" }), UNTRUSTED],
  [failed("unable to verify it", { code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" }), UNTRUSTED],
  [failed("certificate has expired", { code: "CERT_HAS_EXPIRED" }), "certificate has expired"],
  [failed("Unable to connect. Is it there?", { code: "ConnectionRefused" }), "connection refused"],
];

/** The same after a connection was made. */
const maybeSent: readonly (readonly [cause: Error, reason: string])[] = [
  [inDeno("client error (SendRequest): connection closed"), "client error (SendRequest): connection closed"],
  [failed("other side closed", { code: "UND_ERR_SOCKET" }), "other side closed"],
  [failed("read EHOSTUNREACH", { code: "EHOSTUNREACH", syscall: "read" }), "read EHOSTUNREACH"],
  [failed("The socket was closed", { code: "ConnectionClosed" }), "The socket was closed"],
];

Deno.test("a failure has the reason of its innermost cause, and shows if the request can have been sent", () => {
  for (const [failures, isUnsent] of [[unsent, true], [maybeSent, false]] as const) {
    for (const [cause, reason] of failures) {
      for (const error of [cause, new TypeError("fetch failed", { cause })]) {
        assert.deepEqual(failureOf(error), { reason, isUnsent });
      }
    }
  }
});
