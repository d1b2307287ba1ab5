import assert from "node:assert/strict";
import type { WriteResult } from "../../support/client.ts";
import { type ContractEdition, REQUEST_BODY_CAP } from "./edition.ts";

export const contractA: ContractEdition = {
  name: "A",
  every: "*",
  foreignLiterals: ["all", "none"],
  bodyCap: REQUEST_BODY_CAP,
  changesPath: "projections.",
  paths: [
    ["/", ["GET", "HEAD"]],
    ["/position", ["GET", "HEAD"]],
    ["/catalog", ["GET", "HEAD"]],
    ["/forget", ["POST"]],
    ["/subjects/student/s1", ["GET", "HEAD"]],
    ["/subjects", ["GET", "HEAD"]],
    ["/subjects/keys", ["GET", "HEAD"]],
    ["/subjects/forgotten", ["GET", "HEAD"]],
    ["/events/stored", ["QUERY"]],
    ["/proof", ["GET", "HEAD"]],
    ["/events", ["QUERY"]],
    ["/write", ["POST"]],
    ["/projections", ["GET", "HEAD", "DELETE"]],
    ["/projections/t", ["DELETE"]],
    ["/projections/t/a", ["GET", "HEAD"]],
    ["/reset", ["POST"]],
    ["/health", ["GET", "HEAD"]],
    ["/openapi.json", ["GET", "HEAD"]],
    ["/whoami", ["GET", "HEAD"]],
    ["/metrics", ["GET", "HEAD"]],
    ["/debug", ["GET", "HEAD"]],
    ["/debug/conflicts", ["GET", "HEAD"]],
    ["/debug/pprof/", ["GET", "HEAD"]],
  ],
  foreignPaths: [
    "/tx",
    "/tx/x",
    "/stats",
    "/pause",
    "/resume",
    "/optimize",
    "/begin",
    "/commit",
    "/rollback",
  ],
  sendEvents: (client, body) => client.request("POST", "/write", { body }),
  async changeProjections(client, changes) {
    const reply = await client.write({ projections: changes });
    if (reply.status !== 200) return reply;
    const { projections, ...others } = reply.json<WriteResult>();
    assert.deepEqual(others, { events: [] });
    return { ...reply, json: <T>(): T => projections as T };
  },
  deleteProjections: (client, target, options) => client.request("DELETE", target, options),
  reset: (client, options) => client.request("POST", "/reset", options),
};
