import { type Answer, type Call, type Contact, exchange } from "../../../client/exchange.ts";
import type { Server, TextAnswer } from "../../../client/server.ts";
import type { Transport } from "../../../client/transport/transport.ts";
import { errorOf, type StoreCalls } from "./store_calls.ts";

const ANSWER_SECONDS = 30;

/**
 * A server of edition A for modules of the client library, which sends through the explorer. Nothing is repeated:
 * the views read again anyway. `serverOf` would add schemas and traces to the script, which the page does not need.
 */
export function clientServer(calls: StoreCalls): Server {
  const contact: Contact = { transport: transportOf(calls) };
  const begin = (call: Call): Promise<Answer> => exchange(contact, ANSWER_SECONDS, {}, call);
  const once = async (call: Call): Promise<TextAnswer> => {
    const answer = await begin(call);
    return { ...answer, body: await answer.text() };
  };
  return {
    edition: "A",
    payload: "json",
    notJson: "fail",
    codec: (_, events) => Promise.resolve(events),
    contact,
    retrySeconds: 0,
    begin,
    once,
    repeat: once,
  };
}

function transportOf(calls: StoreCalls): Transport {
  return {
    async send({ method, path, headers, body, signal }) {
      const answer = await calls.send(method, path, body, headers, signal);
      // The explorer rejects it, or has no answer of the store.
      if (answer.status >= 300 && !answer.headers.has("x-service-error")) throw errorOf(answer);
      return {
        status: answer.status,
        header: (name) => answer.headers.get(name),
        text: () => Promise.resolve(answer.text),
        async *pieces() {
          yield new TextEncoder().encode(answer.text);
        },
      };
    },
  };
}
