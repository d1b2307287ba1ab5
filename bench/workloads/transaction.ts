import { type Address, Connection, linesOf, type Reply, requestBytes, textOf } from "../connection.ts";
import { measureClients, type Round, type Timing } from "../measure.ts";

const CLIENTS = 64;
/** A read has no `afterSequence` here. Without a new basket from time to time, reads would become longer and longer. */
const EVENTS_PER_BASKET = 8;

/**
 * 64 clients. Each runs one transaction of edition B after another: begin, read the events of its basket, write one
 * more, commit. No other client writes about the basket, so every condition holds. A step is the whole transaction,
 * four requests.
 */
export async function transaction(address: Address, timing: Timing): Promise<Round> {
  using connections = new DisposableStack();
  const clients = [];
  for (let client = 0; client < CLIENTS; client++) {
    clients.push(makeClient(connections.use(await Connection.open(address))));
  }
  return await measureClients(clients, timing);
}

function makeClient(connection: Connection): () => Promise<number> {
  const begin = requestBytes("POST", "/tx", "");
  let basket = "";
  let inBasket = EVENTS_PER_BASKET;
  return async () => {
    if (inBasket === EVENTS_PER_BASKET) {
      basket = crypto.randomUUID();
      inBasket = 0;
    }
    const { txId } = JSON.parse(textOf(expect(200, await connection.request(begin)))) as { txId: string };
    const call = (method: string, path: string, body: string): Promise<Reply> =>
      connection.request(requestBytes(method, `/tx/${txId}${path}`, body));

    const found = linesOf(expect(200, await call("QUERY", "/events", readBody(basket)))) - 1;
    if (found !== inBasket) throw new Error(`a read found ${found} events, not ${inBasket}`);
    expect(200, await call("POST", "/events", writeBody(basket)));
    expect(204, await call("POST", "/commit", ""));
    inBasket++;
    return 1;
  };
}

function expect(status: number, reply: Reply): Reply {
  if (reply.status === status) return reply;
  throw new Error(`a call of a transaction was answered ${reply.status}: ${textOf(reply)}`);
}

function readBody(basket: string): string {
  return `{"query":[{"identifiers":[{"name":"basket","value":"${basket}"}]}]}`;
}

/** The event of the workload with one event. */
function writeBody(basket: string): string {
  return `{"events":[{"type":"ArticleAdded","identifiers":{"basket":"${basket}"},` +
    `"metadata":{"source":"bench"},"payload":"{\\"article\\":4711,\\"amount\\":2}"}]}`;
}
