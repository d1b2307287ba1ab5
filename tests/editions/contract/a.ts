import type { WriteResult } from "../../support/client.ts";
import { type ContractEdition, REQUEST_BODY_CAP } from "./edition.ts";

export const contractA: ContractEdition = {
  name: "A",
  every: "*",
  foreignLiterals: ["all", "none"],
  bodyCap: REQUEST_BODY_CAP,
  changesPath: "projections.",
  paths: [
    ["/events", ["QUERY"]],
    ["/write", ["POST"]],
    ["/projections", ["DELETE"]],
    ["/projections/t", ["DELETE"]],
    ["/projections/t/a", ["GET", "HEAD"]],
    ["/reset", ["POST"]],
    ["/health", ["GET", "HEAD"]],
    ["/metrics", ["GET", "HEAD"]],
    ["/debug", ["GET", "HEAD"]],
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
    const { projections } = reply.json<WriteResult>();
    return { ...reply, json: <T>(): T => projections as T };
  },
  deleteProjections: (client, target) => client.request("DELETE", target),
  reset: (client) => client.request("POST", "/reset"),
};
