import { type Address, Connection, requestBytes, textOf } from "../connection.ts";
import { measureClients, type Round, type Timing } from "../measure.ts";
import { PAYLOAD } from "../sample_events.ts";

/** Wide enough for every sequence of a run; JSON allows leading spaces. */
const SEQUENCE_DIGITS = 12;
const UNWRITTEN = "0".padStart(SEQUENCE_DIGITS);

const SEQUENCE = '"sequence":';

const encoder = new TextEncoder();

/**
 * Each client writes one event after another about its own subject. The condition: no other client has written such
 * an event about it since.
 */
export async function oneEvent(address: Address, clientCount: number, timing: Timing): Promise<Round> {
  using connections = new DisposableStack();
  const storeId = await storeIdOf(address);
  const run = crypto.randomUUID();
  const clients = [];
  for (let client = 0; client < clientCount; client++) {
    const connection = connections.use(await Connection.open(address));
    clients.push(makeClient(connection, oneEventBody(`${run}-${client}`, storeId)));
  }
  return await measureClients(clients, timing);
}

/** A write of one event with a condition whose `afterSequence` is 0, padded so that a higher one fits. */
export function oneEventBody(basket: string, storeId: string): string {
  return `{"conditions":[{"failIfEventsMatch":[{"types":["ArticleAdded"],"identifiers":[{"name":"basket","value":"${basket}"}]}],` +
    `"afterSequence":${UNWRITTEN},"store":"${storeId}"}],` +
    `"events":[{"type":"ArticleAdded","identifiers":{"basket":"${basket}"},"metadata":{"source":"bench"},` +
    `"payload":${JSON.stringify(PAYLOAD)}}]}`;
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
    encoder.encodeInto(sequenceIn(text).padStart(SEQUENCE_DIGITS), digits);
    return 1;
  };
}

/** The digits of the only sequence in a reply. */
function sequenceIn(text: string): string {
  const start = text.indexOf(SEQUENCE) + SEQUENCE.length;
  const end = text.indexOf(",", start);
  if (start < SEQUENCE.length || end < 0) throw new Error(`a reply without a sequence: ${text}`);
  return text.slice(start, end);
}

export async function storeIdOf(address: Address): Promise<string> {
  using connection = await Connection.open(address);
  const { headers } = await connection.request(requestBytes("QUERY", "/events", '{"query":"*","limit":1}'));
  return headers.get("x-service-store")!;
}
