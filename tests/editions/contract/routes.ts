import assert from "node:assert/strict";
import { hideDatabase } from "../../support/hidden_database.ts";
import { assertNoContent, assertPlainText, assertRejected } from "../../support/replies.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";
import { CONTRACT_ENV, type ContractEdition, type ContractTest, eventOf, mustBe } from "./edition.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "QUERY", "OPTIONS", "get", "SEARCH"];
const UNKNOWN = [
  "/unknown",
  "/Events",
  "/events/",
  "/events//",
  "//events",
  "/./events",
  "/x/../events",
  "/health/",
  "/reset/",
  "/projections/",
  "/projections//",
  "/projections//a",
  "/projections/t//a",
  "/projections/./a",
  "/metrics/",
  "/debugger",
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
export function contractOfRoutes(
  edition: ContractEdition,
  test: ContractTest,
  server: ServerProcess,
): void {
  test("an unknown path is 404 in plain text, whatever the method", async ({ client }) => {
    for (const target of [...UNKNOWN, ...edition.foreignPaths]) {
      for (const method of ["GET", "POST", "QUERY", "DELETE"]) {
        assertPlainText(await client.request(method, target), 404);
      }
    }
  });

  test("GET / is a line that says what this is, and where to look", async ({ client }) => {
    const { status, text, headers } = await client.request("GET", "/");
    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "text/plain; charset=utf-8");
    assert.match(
      text,
      new RegExp(`^Event store \\d+\\.\\d+\\.\\d+, edition ${edition.name}\\. [^\\n]*/health[^\\n]*\\n$`),
    );
  });

  test("a wrong method is 405 in plain text with Allow", async ({ client }) => {
    for (const [target, allowed] of edition.paths) {
      for (const method of METHODS) {
        if (allowed.includes(method)) continue;
        const reply = await client.request(method, target);
        if (method === "HEAD") assert.equal(reply.status, 405);
        else assertPlainText(reply, 405);
        const names = (reply.headers.get("allow") ?? "").split(", ");
        assert.deepEqual(names.toSorted(), allowed.toSorted(), `Allow for ${method} ${target}`);
      }
    }
  });

  test("no endpoint has a second name: an escape in a fixed segment makes the path unknown", async ({ client }) => {
    for (const [target, methods] of edition.paths) {
      if (target === "/") continue;
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

  test("operational endpoints: no-store, no store ID, HEAD as the head of GET", async ({ client }) => {
    const targets = edition.paths.map(([target]) => target).filter((target) => /^\/(\w+)$/.test(target));
    for (const target of targets.filter((target) => /health|metrics|debug|stats/.test(target))) {
      const get = mustBe(200, await client.request("GET", target));
      const head = mustBe(200, await client.request("HEAD", target));
      assert.equal(get.headers.get("cache-control"), "no-store", target);
      assert.equal(get.headers.has("x-service-store"), false, target);
      assert.equal(head.headers.get("content-type"), get.headers.get("content-type"));
      assert.equal(head.body.length, 0);
    }
  });

  test("GET /health: status, the version that the start-up lines name, and the pause where there is one", async ({ client }) => {
    const reply = mustBe(200, await client.request("GET", "/health"));
    assert.equal(reply.headers.get("content-type"), "application/json");
    const { version, ...rest } = reply.json<{ version: string }>();
    assert.deepEqual(rest, { status: "ok", ...edition.name === "A" ? {} : { paused: false } });
    assert.match(version, /^\d+\.\d+\.\d+$/);
    assert.ok(server.stdout.includes(version));
  });

  test("query strings and unneeded bodies are ignored", async ({ client }) => {
    mustBe(200, await client.request("GET", "/health?x=/../y&%zz", { body: "{ not JSON" }));
    const read = await client.request("QUERY", "/events?limit=0", { json: { query: edition.every } });
    mustBe(200, read);
  });

  test("a reset and bulk deletes ignore a body, which must not be over the cap", async (subject) => {
    const { client } = subject;
    const { bytes, message } = edition.bodyCap;
    const store = await subject.storeId();
    await subject.append(eventOf("t", "1"));
    for (const target of ["/projections", "/projections/t"]) {
      await subject.createProjection("t", "a", "kept");
      const tooLarge = await edition.deleteProjections(client, target, { body: "x".repeat(bytes + 1) });
      assertRejected(tooLarge, 413, "PayloadTooLarge", message);
      assert.equal((await client.request("GET", "/projections/t/a")).text, "kept");
      assertNoContent(await edition.deleteProjections(client, target, { body: "{ not JSON" }));
      mustBe(404, await client.request("GET", "/projections/t/a"));
    }
    const tooLarge = await edition.reset(client, { body: "x".repeat(bytes + 1) });
    assertRejected(tooLarge, 413, "PayloadTooLarge", message);
    assert.deepEqual([await subject.storeId(), await subject.payloads()], [store, ["1"]]);
    assertNoContent(await edition.reset(client, { body: "{ not JSON" }));
    assert.notEqual(await subject.storeId(), store);
    assert.deepEqual(await subject.payloads(), []);
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

  test("with devMode off /reset and profiling are unknown paths; /health is 503 without its database", async () => {
    await using production = await startServer({
      listen: "unix",
      env: { ...CONTRACT_ENV, SERVICE_EDITION: edition.name, SERVICE_DEV_MODE: "false" },
    });
    const client = production.client();
    for (const method of ["POST", "GET"]) assertPlainText(await client.request(method, "/reset"), 404);
    for (const path of ["", "heap", "profile?seconds=1", "cmdline"]) {
      assertPlainText(await client.request("GET", `/debug/pprof/${path}`), 404);
    }
    // No reader has opened the database so far.
    hideDatabase(production);
    assertRejected(await client.request("GET", "/health"), 503, "Unavailable", /./);
  });
}
