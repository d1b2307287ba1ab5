import assert from "node:assert/strict";
import { Malformed } from "../../src/http/exchange.ts";
import { emptyReply } from "../../src/http/replies.ts";
import { makeRouter, type Route } from "../../src/http/router.ts";

function route(method: Route["method"], path: string): Route {
  return { method, path, right: "none", body: "ignored", handle: () => emptyReply(204) };
}

const find = makeRouter([
  route("QUERY", "/events"),
  route("GET", "/projections/:type/:id"),
  route("DELETE", "/projections/:type"),
  route("DELETE", "/projections"),
  route("GET", "/debug"),
  route("GET", "/debug/pprof/"),
  route("GET", "/tx"),
  route("POST", "/tx"),
]);

function found(method: string, path: string): string {
  const routing = find(method, path);
  if (routing.kind !== "found") return routing.kind;
  return [`${routing.route.method} ${routing.route.path}`, ...routing.segments].join(" | ");
}

Deno.test("a route is found by method and path, with the values of its parameters", () => {
  assert.equal(found("QUERY", "/events"), "QUERY /events");
  assert.equal(found("GET", "/projections/a/b"), "GET /projections/:type/:id | a | b");
  assert.equal(found("DELETE", "/projections/a"), "DELETE /projections/:type | a");
  assert.equal(found("DELETE", "/projections"), "DELETE /projections");
  assert.equal(found("GET", "/debug/pprof/"), "GET /debug/pprof/");
  assert.equal(found("POST", "/tx"), "POST /tx");
});

Deno.test("HEAD goes wherever GET does and nowhere else", () => {
  assert.equal(found("HEAD", "/debug"), "GET /debug");
  assert.equal(found("HEAD", "/projections/a/b"), "GET /projections/:type/:id | a | b");
  assert.equal(found("HEAD", "/events"), "wrongMethod");
});

Deno.test("a parameter stands for one segment that is not empty, whatever it holds", () => {
  assert.equal(found("DELETE", "/projections/"), "unknownPath");
  assert.equal(found("GET", "/projections//b"), "unknownPath");
  assert.equal(found("GET", "/projections/a/"), "unknownPath");
  assert.equal(found("GET", "/projections/a/b/c"), "unknownPath");
  const routing = find("GET", "/projections/a%2fb/:id");
  assert.deepEqual(routing.kind === "found" && routing.segments, ["a/b", ":id"]);
});

Deno.test("paths are compared exactly", () => {
  for (
    const path of ["/", "/event", "/Events", "/events/", "//events", "/debug/pprof", "/projections/:type/x/y"]
  ) {
    assert.equal(found("GET", path), "unknownPath", path);
  }
});

Deno.test("the fixed segments of a route are compared as sent, and only its parameters are decoded", () => {
  for (const path of ["/%65vents", "/%64ebug", "/debu%67", "/debug/ppro%66/", "/debug%2Fpprof/", "/%74x"]) {
    for (const method of ["GET", "QUERY", "POST"]) assert.equal(found(method, path), "unknownPath", path);
  }
  assert.equal(found("GET", "/%70rojections/a/b"), "unknownPath");
  assert.equal(found("GET", "/projections/%61/b%20"), "GET /projections/:type/:id | a | b ");
});

Deno.test("a broken escape is reported wherever it is, also in a fixed segment of a route", () => {
  for (const path of ["/%zz", "/debug/%", "/projections/%ff/b", "/%C0%AFmetrics"]) {
    assert.throws(() => find("GET", path), Malformed, path);
  }
});

Deno.test("a known path with another method names the methods that it takes", () => {
  const allow = (path: string): string => {
    const routing = find("PATCH", path);
    return routing.kind === "wrongMethod" ? routing.allow : routing.kind;
  };
  assert.equal(allow("/events"), "QUERY");
  assert.equal(allow("/projections/a/b"), "GET, HEAD");
  assert.equal(allow("/projections/a"), "DELETE");
  assert.equal(allow("/tx"), "GET, HEAD, POST");
  assert.equal(found("OPTIONS", "/events"), "wrongMethod");
  assert.equal(found("query", "/events"), "wrongMethod", "methods are compared exactly");
  assert.equal(found("GET", "/events"), "wrongMethod");
});
