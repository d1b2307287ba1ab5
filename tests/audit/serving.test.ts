import assert from "node:assert/strict";
import { readThrough } from "../../audit/postgres/serving.ts";
import { AuditFailure } from "../../audit/report.ts";
import { NoReply, type Reply } from "../support/connection.ts";
import { Client, type RequestOptions } from "../support/client.ts";
import { startServer } from "../support/server_process.ts";

/** Disturbs the answer to the first request for the health of the server, which comes last. */
class DisturbedClient extends Client {
  #disturb: ((reply: Reply) => Reply) | undefined;

  constructor({ address }: Client, disturb: (reply: Reply) => Reply) {
    super(address);
    this.#disturb = disturb;
  }

  override async request(method: string, target: string, options?: RequestOptions): Promise<Reply> {
    const reply = await super.request(method, target, options);
    const disturb = this.#disturb;
    if (target !== "/health" || disturb === undefined) return reply;
    this.#disturb = undefined;
    return disturb(reply);
  }
}

function answered(status: number): (reply: Reply) => Reply {
  return (reply) => Object.create(reply, { status: { value: status } });
}

Deno.test("everything is read again when the server stops serving in between, but an error is a finding", async () => {
  await using server = await startServer({ listen: "unix" });
  const lost = (): never => {
    throw new NoReply("the connection was closed");
  };
  for (const disturb of [answered(503), lost]) {
    const found = await readThrough("A", [new DisturbedClient(server.client(), disturb)], []);
    assert.deepEqual(found.faults, []);
  }
  const failing = new DisturbedClient(server.client(), answered(500));
  await assert.rejects(readThrough("A", [failing], []), AuditFailure);
});
