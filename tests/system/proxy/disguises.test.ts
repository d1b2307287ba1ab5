import assert from "node:assert/strict";
import { Client } from "../../support/client.ts";
import type { Address } from "../../support/connection.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";
import { debianTest } from "../support/debian_program.ts";
import { startHaproxy } from "./haproxy.ts";
import { startProxy } from "./proxy.ts";
import { proxyTest } from "./proxy_test.ts";

/**
 * Every way to write a path that one reader might take for an operators' path, and another reader for something else.
 */
function disguisesOf(path: string): string[] {
  const name = path.slice(1);
  const escaped = (at: number): string =>
    `/${name.slice(0, at)}%${name.charCodeAt(at).toString(16)}${name.slice(at + 1)}`;
  const upper = path.toUpperCase();
  return [
    path,
    ...[...name].map((_, at) => escaped(at)),
    ...[`${path}?x`, `${path}?/health`, `${path}#`, `${path}#/health`, `${path};`, `${path};x=/health`],
    ...[`${path}/`, `${path}//`, `${path}/.`, `${path}/..`, `${path}/x/..`, `${path}%2F`, `${path}/%2e`],
    ...[
      `/${path}`,
      `//${path}`,
      `/.${path}`,
      `/x/..${path}`,
      `/..${path}`,
      `/%2e${path}`,
      `/x/%2e%2e${path}`,
    ],
    ...[
      `/%2F${name}`,
      `/%2f${name}`,
      `/health/..%2F${name}`,
      `/.%2F${name}`,
      `/;${path}`,
      `/health;/..${path}`,
    ],
    ...[`/\\${name}`, `\\${name}`, `/health/..\\${name}`, `/%5C${name}`],
    ...[
      `${path}%00`,
      `${path}%00/health`,
      `${path}%20`,
      `${path}%09`,
      `${path}%0d%0a`,
      `${path}%3F`,
      `${path}%23`,
    ],
    ...[`/%25${name.charCodeAt(0).toString(16)}${name.slice(1)}`, `/%u00${name.charCodeAt(0).toString(16)}x`],
    ...[`/%c1%${(name.charCodeAt(0) + 0x40).toString(16)}${name.slice(1)}`, `/%zz${path}`, `/%${path}`],
    ...[upper, `/${upper[1]}${name.slice(1)}`, name, `*${path}`],
    ...[
      `http://x${path}`,
      `HTTP://x${path}`,
      `http://x:80${path}`,
      `http://x/${path}`,
      `http://x/%2e${path}`,
    ],
    ...[
      `http://x${escaped(0)}`,
      `http://x?${path}`,
      `http://x;${path}`,
      `http://u@x${path}`,
      `http://${path}`,
    ],
    ...[
      `https://x${path}`,
      `ftp://x${path}`,
      `//x${path}`,
      `http:${path}`,
      `http:/${path}`,
      `http://x#${path}`,
    ],
  ];
}

const OPERATORS = ["/metrics", "/stats", "/debug", "/debug/pprof/cmdline", "/reset"];

/** Sends every path of operators in every disguise. Asserts that no endpoint answers, and that the events stay. */
async function assertKeptInside(server: ServerProcess, proxy: Address): Promise<void> {
  const client = new Client(proxy);
  for (const path of OPERATORS) {
    for (const target of disguisesOf(path)) {
      for (const method of ["GET", "POST"]) {
        const { status, text } = await client.request(method, target);
        // Without its disguise, the path may be "/", which only says what the server is.
        if (status === 200 && text.startsWith("Event store ")) break;
        assert.ok([400, 404, 421, 501].includes(status), `${method} ${target}: ${status}`);
      }
    }
  }
  assert.equal((await server.client().allEvents()).length, 1, "the store was reset");
  assert.equal((await client.request("GET", "/health")).status, 200);
}

async function startWithEvent(listen: "tcp" | "unix"): Promise<ServerProcess> {
  const server = await startServer({ listen, listenOnly: true, env: { SERVICE_DEV_MODE: "true" } });
  await server.client().append({ type: "t", payload: "" });
  return server;
}

await proxyTest(
  "no disguise of an operators' path gets past the rules of the page",
  async (name, programs) => {
    await using server = await startWithEvent("unix");
    await using proxy = await startProxy(name, programs, server.address);
    await assertKeptInside(server, proxy.address);
  },
);

await debianTest(
  ["haproxy"],
  "haproxy: no disguise of an operators' path gets past the rules of the page",
  async ({ haproxy }) => {
    await using server = await startWithEvent("tcp");
    await using proxy = await startHaproxy(haproxy, [server.address, server.address]);
    await assertKeptInside(server, proxy.address);
  },
);

/** Paths that a proxy may take for `/metrics`, and the server for a projection. */
const TAKEN_FOR_METRICS = [
  ["DELETE", "/projections/..%2Fmetrics"],
  ["GET", "/projections/t/..%2F..%2F..%2Fmetrics"],
  ["GET", "/projections/%2e%2e%2F%2e%2e/..%2Fmetrics"],
] as const;

await proxyTest(
  "the listener for Prometheus reaches the metrics and nothing else",
  async (name, programs) => {
    await using server = await startWithEvent("unix");
    await using proxy = await startProxy(name, programs, server.address);
    const client = new Client(proxy.metricsAddress);
    for (const [method, target] of TAKEN_FOR_METRICS) {
      const { status, text } = await client.request(method, target);
      const isOfMetrics = status === 405 || status === 200 && text.includes("service_requests_queued");
      const isOfProxy = (status === 404 || status === 400) && !/unknown path|ProjectionNotFound/.test(text);
      assert.ok(isOfMetrics || isOfProxy, `${method} ${target}: ${status} ${text}`);
    }
    assert.equal((await client.request("GET", "/metrics?x=y")).status, 200);
  },
);
