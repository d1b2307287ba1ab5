import assert from "node:assert/strict";
import { assertPlainText, assertRejected } from "../../support/replies.ts";
import { startServer } from "../../support/server_process.ts";
import { CONTRACT_ENV, type ContractEdition, type ContractTest, mustBe } from "./edition.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "QUERY", "OPTIONS", "get"];
const UNKNOWN = [
  "/",
  "/unknown",
  "/Events",
  "/events/",
  "//events",
  "/./events",
  "/x/../events",
  "/health/",
  "/reset/",
  "/projections/",
  "/projections//a",
  "/projections/t/",
  "/projections/t/a/",
  "/projections/t/a/b",
  "/projections/t/..",
  "/%65vents",
  "/%6detrics",
  "/m%65trics",
  "/%64ebug",
  "/%72eset",
  "/rese%74",
  "/debug/%70prof/",
  "/debug%2Fpprof/",
  "/health%00",
  "/health%3F",
  "/health;x",
  "/%70rojections/t/a",
  "/tx/x/%63ommit",
];

/** Tests of paths, methods, HEAD, and the order of checks. */
export function contractOfRoutes(edition: ContractEdition, test: ContractTest): void {
  test("an unknown path is 404 in plain text, whatever the method", async ({ client }) => {
    for (const target of [...UNKNOWN, ...edition.foreignPaths]) {
      for (const method of ["GET", "POST", "QUERY", "DELETE"]) {
        assertPlainText(await client.request(method, target), 404);
      }
    }
  });

  for (const [target, allowed] of edition.paths) {
    test(`${target} with a wrong method is 405 in plain text with Allow`, async ({ client }) => {
      for (const method of METHODS) {
        if (allowed.includes(method)) continue;
        const reply = await client.request(method, target);
        if (method === "HEAD") assert.equal(reply.status, 405);
        else assertPlainText(reply, 405);
        const names = (reply.headers.get("allow") ?? "").split(", ");
        assert.deepEqual(names.toSorted(), allowed.toSorted(), `Allow for ${method} ${target}`);
      }
    });
  }

  test("no endpoint has a second name: an escape in a fixed segment makes the path unknown", async ({ client }) => {
    for (const [target, methods] of edition.paths) {
      const [, first, rest = ""] = /^\/(\w)(.*)$/.exec(target)!;
      for (
        const escaped of [`%${first!.charCodeAt(0).toString(16)}${rest}`, `${first!.toUpperCase()}${rest}`]
      ) {
        for (const method of methods) {
          const reply = await client.request(method, `/${escaped}`);
          if (method === "HEAD") mustBe(404, reply);
          else assertPlainText(reply, 404);
        }
      }
    }
  });

  test("HEAD of /health: the head of its GET and no body", async ({ client }) => {
    const get = mustBe(200, await client.request("GET", "/health"));
    const head = mustBe(200, await client.request("HEAD", "/health"));
    assert.equal(get.json<{ status: string }>().status, "ok");
    assert.equal(typeof get.json<{ version: string }>().version, "string");
    assert.equal(get.headers.get("content-type"), "application/json");
    assert.equal(head.headers.get("content-type"), "application/json");
    assert.equal(head.body.length, 0);
  });

  test("query strings and unneeded bodies are ignored", async ({ client }) => {
    mustBe(200, await client.request("GET", "/health?x=/../y&%zz", { body: "{ not JSON" }));
    const read = await client.request("QUERY", "/events?limit=0", { json: { query: edition.every } });
    mustBe(200, read);
  });

  test("no answer carries an Access-Control header", async ({ client }) => {
    for (const method of ["GET", "OPTIONS"]) {
      const headers = { origin: "http://localhost:3000", "access-control-request-method": "GET" };
      const reply = await client.request(method, "/health", { headers });
      assert.deepEqual([...reply.headers.keys()].filter((name) => name.startsWith("access-control")), []);
    }
  });

  test("order of checks: path 404, method 405, body size 413, decoding 400", async ({ client }) => {
    const { bytes, message } = edition.bodyCap;
    const tooLarge = "{".repeat(bytes + 1);
    assertPlainText(await client.request("PUT", "/unknown", { body: tooLarge }), 404);
    assertPlainText(await client.request("PUT", "/events", { body: tooLarge }), 405);
    const rejected = await client.request("QUERY", "/events", { body: tooLarge });
    assertRejected(rejected, 413, "PayloadTooLarge", message);
    const body = "{".repeat(bytes);
    assertRejected(await client.request("QUERY", "/events", { body }), 400, "InvalidRequest", /./);
  });

  test("with devMode off /reset and the profiling endpoints are unknown paths", async () => {
    await using server = await startServer({
      listen: "unix",
      env: { ...CONTRACT_ENV, SERVICE_EDITION: edition.name, SERVICE_DEV_MODE: "false" },
    });
    for (const [method, path] of [["POST", "/reset"], ["GET", "/reset"], ["GET", "/debug/pprof/"]] as const) {
      assertPlainText(await server.client().request(method, path), 404);
    }
  });
}
