import { expectStatus } from "../../support/replies.ts";
import { begin } from "../c_ticket/client.ts";
import { type ContractEdition, ITEM_BYTES_MAX } from "./edition.ts";

/** The body limit that follows from `CONTRACT_ENV` by the formula of the document. */
const BODY_BYTES_MAX = 100 * (6 * ITEM_BYTES_MAX + 4096) + 1024 * 1024;

export const contractC: ContractEdition = {
  name: "C",
  every: "*",
  foreignLiterals: ["all", "none"],
  bodyCap: {
    bytes: BODY_BYTES_MAX,
    message: `request body exceeds maxRequestBody (${BODY_BYTES_MAX} bytes)`,
  },
  changesPath: "",
  paths: [
    ["/", ["GET", "HEAD"]],
    ["/position", ["GET", "HEAD"]],
    ["/catalog", ["GET", "HEAD"]],
    ["/proof", ["GET", "HEAD"]],
    ["/begin", ["POST"]],
    // The reset ends the transaction of the line before, so that no later call waits.
    ["/reset", ["POST"]],
    ["/forget", ["POST"]],
    ["/subjects/student/s1", ["GET", "HEAD"]],
    ["/subjects", ["GET", "HEAD"]],
    ["/subjects/keys", ["GET", "HEAD"]],
    ["/subjects/forgotten", ["GET", "HEAD"]],
    ["/events/stored", ["QUERY"]],
    ["/events", ["QUERY", "POST"]],
    ["/projections/t/a", ["GET", "HEAD"]],
    ["/projections", ["GET", "HEAD", "POST", "DELETE"]],
    ["/commit", ["POST"]],
    ["/rollback", ["POST"]],
    ["/projections/t", ["DELETE"]],
    ["/pause", ["POST"]],
    ["/resume", ["POST"]],
    ["/health", ["GET", "HEAD"]],
    ["/openapi.json", ["GET", "HEAD"]],
    ["/whoami", ["GET", "HEAD"]],
    ["/metrics", ["GET", "HEAD"]],
    ["/debug", ["GET", "HEAD"]],
    ["/debug/conflicts", ["GET", "HEAD"]],
    ["/debug/pprof/", ["GET", "HEAD"]],
  ],
  foreignPaths: ["/write", "/tx", "/tx/x", "/tx/x/commit", "/stats", "/optimize"],
  async sendEvents(client, body) {
    const transaction = await begin(client);
    const reply = await transaction.call("POST", "/events", { body });
    if (reply.status === 200) expectStatus(await transaction.commit(), 204);
    return reply;
  },
  async changeProjections(client, changes) {
    const transaction = await begin(client);
    const reply = await transaction.change(changes as Record<string, unknown>);
    if (reply.status === 200) expectStatus(await transaction.commit(), 204);
    return reply;
  },
  async deleteProjections(client, target, options) {
    expectStatus(await client.request("POST", "/pause"), 204);
    const reply = await client.request("DELETE", target, options);
    expectStatus(await client.request("POST", "/resume"), 204);
    return reply;
  },
  reset: (client, options) => client.request("POST", "/reset", options),
};
