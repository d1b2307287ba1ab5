import { type Address, Connection, fieldOf, requestBytes, textOf } from "../connection.ts";
import { measureClients, type Round, type Timing } from "../measure.ts";

const CLIENTS = 64;
/** Wide enough for every sequence of a run; JSON allows leading spaces. */
const SEQUENCE_DIGITS = 12;
const UNWRITTEN = "0".padStart(SEQUENCE_DIGITS);

const encoder = new TextEncoder();

/**
 * 64 clients, each writing one event after the other about a thing of its own, on the condition that no one
 * else has written about it since its own last event.
 */
export async function oneEvent(address: Address, timing: Timing): Promise<Round> {
  using connections = new DisposableStack();
  const storeId = await storeIdOf(address);
  const run = crypto.randomUUID();
  const clients = [];
  for (let client = 0; client < CLIENTS; client++) {
    const connection = connections.use(await Connection.open(address));
    clients.push(makeClient(connection, oneEventBody(`${run}-${client}`, storeId)));
  }
  return await measureClients(clients, timing);
}

/** A write of one event with a condition whose `afterSequence` is 0, with room for a higher one. */
export function oneEventBody(basket: string, storeId: string): string {
  return `{"conditions":[{"failIfEventsMatch":[{"identifiers":[{"name":"basket","value":"${basket}"}]}],` +
    `"afterSequence":${UNWRITTEN},"store":"${storeId}"}],` +
    `"events":[{"type":"ArticleAdded","identifiers":{"basket":"${basket}"},"metadata":{"source":"bench"},` +
    `"payload":"{\\"article\\":4711,\\"amount\\":2}"}]}`;
}

function makeClient(connection: Connection, body: string): () => Promise<number> {
  const request = requestBytes("POST", "/write", body);
  const beforeSequence = encoder.encode(body.slice(0, body.indexOf(UNWRITTEN))).length;
  const bodyStart = request.length - encoder.encode(body).length;
  const digits = request.subarray(bodyStart + beforeSequence).subarray(0, SEQUENCE_DIGITS);
  return async () => {
    const reply = await connection.request(request);
    const text = textOf(reply);
    if (reply.status !== 200) throw new Error(`a write of one event was answered ${reply.status}: ${text}`);
    const { events: [event] } = JSON.parse(text) as { events: { sequence: number }[] };
    encoder.encodeInto(String(event!.sequence).padStart(SEQUENCE_DIGITS), digits);
    return 1;
  };
}

async function storeIdOf(address: Address): Promise<string> {
  using connection = await Connection.open(address);
  const { head } = await connection.request(requestBytes("QUERY", "/events", '{"query":"*","limit":1}'));
  return fieldOf(head, "x-service-store");
}
