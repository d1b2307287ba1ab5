import { type Address, Connection, linesOf, type Reply, requestBytes, textOf } from "../connection.ts";
import { measureClients, type Round, type Timing } from "../measure.ts";

export const EVENTS_PER_PAGE = 10_000;

/** One client that reads the whole store in pages, again and again. */
export async function fullScan(address: Address, storeEvents: number, timing: Timing): Promise<Round> {
  using connection = await Connection.open(address);
  const pageBytes = new Map<number, number>();
  let afterSequence = 0;
  const readPage = async (): Promise<number> => {
    const body = `{"query":"*","afterSequence":${afterSequence},"limit":${EVENTS_PER_PAGE}}`;
    const reply = await connection.request(requestBytes("QUERY", "/events", body));
    const events = Math.min(EVENTS_PER_PAGE, storeEvents - afterSequence);
    const bytes = bytesOf(reply);
    // Counting lines costs time. The store does not change, so a page that was right once only needs the same
    // length again.
    const isWhole = pageBytes.get(afterSequence) === bytes || linesOf(reply) === events + 1;
    if (reply.status !== 200 || !isWhole) throw new Error(`a page is not as it should be: ${textOf(reply)}`);
    pageBytes.set(afterSequence, bytes);
    afterSequence = afterSequence + events < storeEvents ? afterSequence + events : 0;
    return events;
  };
  return await measureClients([readPage], timing);
}

function bytesOf({ body }: Reply): number {
  return body.reduce((bytes, piece) => bytes + piece.length, 0);
}
