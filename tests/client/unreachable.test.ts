import assert from "node:assert/strict";
import {
  ConnectionLost,
  EventStore,
  type EventStoreOptions,
  type TransportReply,
  Unavailable,
} from "../../client/mod.ts";
import { failureOf } from "../../client/failures.ts";
import { fetchTransport } from "../../client/transport/fetch_transport.ts";
import { freePort } from "../support/free_port.ts";
import { FaultyTransport } from "./faulty_transport.ts";
import { counted } from "./school.ts";
import { failure, note, placeOf, type SchoolEvents, startTestServer, storeOf, storeOver } from "./support.ts";

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
  [failed("Connect Timeout Error", { code: "UND_ERR_CONNECT_TIMEOUT" }), "Connect Timeout Error"],
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

/** Requests that `fetch` does not accept, as Deno and Node report them. */
const unaccepted: readonly Error[] = [
  failed('Requires net access to "127.0.0.1:8085", run again with the --allow-net flag'),
  failed("Fetch failed: Requests to port 9 are blocked"),
  failed("bad port"),
  failed("Invalid URL: 'http://127.0.0.1:99999/events'"),
];

Deno.test("a request that the runtime did not accept was not sent: a write has no unknown outcome", async () => {
  for (const cause of unaccepted) {
    const send = () => Promise.reject(cause);
    const store = storeOver({ address: "http://a", send }, { retrySeconds: 60 });
    for (const error of await Promise.all([store.append(note("1")), store.follow("*").next()].map(failure))) {
      const message = `cannot reach http://a (${cause.message})`;
      assert.deepEqual([error.code, error.message, error.outcomeUnknown], ["NeverReached", message, false]);
    }
  }
});

/** Answers of a wrong address, each time. */
const foreign: readonly (() => Promise<TransportReply>)[] = [
  () => Promise.reject(failed("other side closed")),
  () => Promise.resolve(replyOf(200, "<h1>another site</h1>")),
  () => Promise.resolve(replyOf(502, "<h1>bad gateway</h1>")),
];

const replyOf = (status: number, body: string): TransportReply => ({
  status,
  header: () => null,
  text: () => Promise.resolve(body),
  async *pieces() {
    yield await Promise.resolve(new TextEncoder().encode(body));
  },
});

Deno.test("follow and project end when the server itself has never answered", async () => {
  for (const send of foreign) {
    const store = storeOver({ send }, { retrySeconds: 0.05 });
    const project = store.project("p", counted).next();
    const rows = store.project("r", { ...counted, key: () => "k" }).next();
    for (const error of await Promise.all([store.follow("*").next(), project, rows].map(failure))) {
      assert.ok(error instanceof ConnectionLost, String(error));
    }
  }
});

Deno.test("follow and project outlast a proxy's errors after an answer of the server", async () => {
  await using server = await startTestServer("tcp");
  const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url));
  const store = storeOver(transport, { retrySeconds: 0.05 });
  await store.head();
  const isDown = Promise.withResolvers<void>();
  transport.fault = () => {
    if (transport.requests.length > 20) isDown.resolve();
    return transport.requests.length > 40 ? "none" : "request lost";
  };
  const following = store.follow("*").next();
  const projecting = store.project("p", counted).next();
  await isDown.promise;
  await server.client().request("POST", "/write", { json: { events: [{ type: "Noted", payload: "1" }] } });
  assert.equal((await following).value.checkpoint.sequence, 1);
  await projecting;
});
