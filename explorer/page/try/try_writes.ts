import type { Edition } from "../filter/query.ts";
import type { Answer, StoreCalls } from "../store/store_calls.ts";

/** One request and its answer. */
export interface Exchange {
  readonly request: string;
  readonly answer: Answer;
}

/** Executes a write in the way of the edition, and reports each exchange when it ends. */
export async function tryWrite(
  calls: StoreCalls,
  edition: Edition,
  body: string,
  onExchange: (exchange: Exchange) => void,
): Promise<void> {
  const send = async (
    method: string,
    path: string,
    text?: string,
    headers?: Record<string, string>,
  ): Promise<Answer> => {
    const answer = await calls.send(method, path, text, headers);
    onExchange({ request: `${method} ${path}`, answer });
    return answer;
  };
  if (edition === "A") await send("POST", "/write", body);
  else if (edition === "B") await tryTransaction(send, body);
  else await tryTicket(send, body);
}

type Send = (
  method: string,
  path: string,
  text?: string,
  headers?: Record<string, string>,
) => Promise<Answer>;

async function tryTransaction(send: Send, body: string): Promise<void> {
  const { query, events } = JSON.parse(body);
  const begun = await send("POST", "/tx");
  if (begun.status !== 200) return;
  const path = `/tx/${JSON.parse(begun.text).txId}`;
  const steps: [string, string, string?][] = [
    ["QUERY", `${path}/events`, JSON.stringify({ query })],
    ["POST", `${path}/events`, JSON.stringify({ events })],
    ["POST", `${path}/commit`],
  ];
  // An error ends the transaction.
  for (const [method, at, text] of steps) {
    if ((await send(method, at, text)).status >= 300) return;
  }
}

async function tryTicket(send: Send, body: string): Promise<void> {
  const begun = await send("POST", "/begin");
  if (begun.status !== 200) return;
  const headers = { "x-service-ticket": JSON.parse(begun.text).ticket };
  if ((await send("POST", "/events", body, headers)).status >= 300) return;
  await send("POST", "/commit", undefined, headers);
}
