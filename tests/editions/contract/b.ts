import { expectStatus } from "../../support/replies.ts";
import { begin, txLines } from "../b_tx/client.ts";
import { type ContractEdition, REQUEST_BODY_CAP } from "./edition.ts";

export const contractB: ContractEdition = {
  name: "B",
  every: "all",
  none: "none",
  foreignLiterals: ["*"],
  bodyCap: REQUEST_BODY_CAP,
  changesPath: "",
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
    ["/tx", ["POST"]],
    ["/tx/x", ["DELETE"]],
    ["/tx/x/events", ["QUERY", "POST"]],
    ["/tx/x/projections", ["POST"]],
    ["/tx/x/projections/t/a", ["GET", "HEAD"]],
    ["/tx/x/commit", ["POST"]],
    ["/projections", ["GET", "HEAD", "POST", "DELETE"]],
    ["/projections/t", ["DELETE"]],
    ["/projections/t/a", ["GET", "HEAD"]],
    ["/pause", ["POST"]],
    ["/resume", ["POST"]],
    ["/optimize", ["POST"]],
    ["/reset", ["POST"]],
    ["/health", ["GET", "HEAD"]],
    ["/openapi.json", ["GET", "HEAD"]],
    ["/whoami", ["GET", "HEAD"]],
    ["/stats", ["GET", "HEAD"]],
    ["/metrics", ["GET", "HEAD"]],
    ["/debug", ["GET", "HEAD"]],
    ["/debug/conflicts", ["GET", "HEAD"]],
    ["/debug/pprof/", ["GET", "HEAD"]],
  ],
  foreignPaths: ["/write", "/begin", "/commit", "/rollback"],
  async sendEvents(client, body) {
    const tx = await begin(client);
    txLines(await tx.read("none"));
    const reply = await tx.call("POST", "/events", { body });
    if (reply.status === 200) expectStatus(await tx.commit(), 204);
    return reply;
  },
  changeProjections: (client, changes) => client.request("POST", "/projections", { json: changes }),
  deleteProjections: (client, target, options) => client.request("DELETE", target, options),
  async reset(client, options) {
    expectStatus(await client.request("POST", "/pause"), 200);
    const reply = await client.request("POST", "/reset", options);
    expectStatus(await client.request("POST", "/resume"), 204);
    return reply;
  },
};
