import { type Address, Connection, requestBytes, textOf } from "../connection.ts";
import { measureClients, type Round, type Timing } from "../measure.ts";
import type { SampleEvents } from "../sample_events.ts";

/**
 * One client whose writes are rejected. Each has the condition that an article has no events, but it has about ten,
 * anywhere in the store. The latency is that of the check and of all other work except a commit.
 */
export async function conditionCheck(
  address: Address,
  sample: SampleEvents,
  timing: Timing,
): Promise<Round> {
  using connection = await Connection.open(address);
  const check = async (): Promise<number> => {
    const query = [{ identifiers: [{ name: "article", value: sample.article() }] }];
    const body = JSON.stringify({ conditions: [{ failIfEventsMatch: query }], events: [EVENT] });
    const reply = await connection.request(requestBytes("POST", "/write", body));
    // A rare article has no events, so its write succeeds.
    if (reply.status === 409 || reply.status === 200) return 0;
    throw new Error(`a write to be rejected was answered ${reply.status}: ${textOf(reply)}`);
  };
  return await measureClients([check], timing);
}

const EVENT = { type: "ArticleAdded", identifiers: {}, metadata: {}, payload: "" };
