import type { Transport, TransportReply, TransportRequest } from "../../client/transport/transport.ts";
import { PROXY_HEADER } from "./http_faults.ts";
import type { HistoryLines } from "./history_lines.ts";
import type { Observations } from "./observations.ts";
import { type Call, microseconds, queryOf, type SeenEvent } from "./observed.ts";

const DEFAULT_LIMIT = 1000;

/** The context of one client of the store, as its transport needs it. */
export interface Tap {
  /** Its number, for the history lines. */
  readonly client: number;
  readonly observations: () => Observations;
  readonly lines: HistoryLines | undefined;
  /** The call that the client is making. */
  call: Call | undefined;
}

interface PageRequest {
  readonly query: unknown;
  readonly afterSequence?: number;
  readonly beforeSequence?: number;
  readonly backwards?: boolean;
  readonly limit?: number;
}

/** Records every request and every answer of a client: the events of pages, and the answers to writes. */
export function tapped(transport: Transport, tap: Tap): Transport {
  return {
    async send(request) {
      const { method, path, headers } = request;
      if (method === "QUERY" && path === "/events" && headers["x-service-ticket"] === undefined) {
        const begun = microseconds();
        return tappedPage(await transport.send(request), request, begun, tap);
      }
      if (method === "POST" && path === "/write") return await tappedWrite(transport, request, tap);
      if (method === "POST" && path.endsWith("/commit") && tap.call !== undefined) tap.call.writes++;
      return await transport.send(request);
    },
  };
}

function tappedPage(
  reply: TransportReply,
  { body }: TransportRequest,
  begun: number,
  tap: Tap,
): TransportReply {
  if (reply.status !== 200 || reply.header(PROXY_HEADER)) return reply;
  const page = new OpenPage(reply, JSON.parse(body!) as PageRequest, begun, tap);
  return {
    status: reply.status,
    header: (name) => reply.header(name),
    async text() {
      const text = await reply.text();
      page.take(text);
      return text;
    },
    async *pieces() {
      const decoder = new TextDecoder();
      for await (const piece of reply.pieces()) {
        page.take(decoder.decode(piece, { stream: true }));
        yield piece;
      }
    },
  };
}

/** A page that is being received. Its events count at once; its last line shows whether it is complete. */
class OpenPage {
  readonly #request: PageRequest;
  readonly #begun: number;
  readonly #tap: Tap;
  readonly #storeId: string;
  readonly #head: number;
  readonly #events: SeenEvent[] = [];
  #rest = "";

  constructor(reply: TransportReply, request: PageRequest, begun: number, tap: Tap) {
    this.#request = request;
    this.#begun = begun;
    this.#tap = tap;
    this.#storeId = reply.header("x-service-store") ?? "";
    this.#head = Number(reply.header("x-service-head"));
    tap.call?.storeIds.add(this.#storeId);
  }

  take(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop()!;
    for (const line of lines) this.#takeLine(line);
  }

  #takeLine(line: string): void {
    if (line.startsWith('{"hasMore":')) {
      return this.#end((JSON.parse(line) as { readonly hasMore: boolean }).hasMore);
    }
    const { seen, histories } = this.#tap.observations();
    const event = seen.of(line);
    histories.see(this.#storeId, event);
    this.#events.push(event);
  }

  #end(hasMore: boolean): void {
    const { query, afterSequence = 0, beforeSequence, backwards = false, limit = DEFAULT_LIMIT } =
      this.#request;
    const { client, lines, observations } = this.#tap;
    const page = {
      storeId: this.#storeId,
      head: this.#head,
      query: queryOf(query),
      after: afterSequence,
      before: beforeSequence,
      isBackwards: backwards,
      limit,
      events: this.#events,
      hasMore,
      begun: this.#begun,
      ended: microseconds(),
    };
    observations().pages.push(page);
    lines?.read(client, page);
  }
}

async function tappedWrite(
  transport: Transport,
  request: TransportRequest,
  tap: Tap,
): Promise<TransportReply> {
  if (tap.call !== undefined) tap.call.writes++;
  const begun = microseconds();
  const line = (status: number, storeId: string, answer: string | undefined): void =>
    tap.lines?.write(tap.client, begun, request.body!, { status, storeId, answer });
  try {
    const reply = await transport.send(request);
    return {
      ...reply,
      header: (name) => reply.header(name),
      async text() {
        try {
          const text = await reply.text();
          const isServers = !reply.header(PROXY_HEADER);
          line(reply.status, reply.header("x-service-store") ?? "", isServers ? text : undefined);
          return text;
        } catch (error) {
          line(0, "", undefined);
          throw error;
        }
      },
    };
  } catch (error) {
    line(0, "", undefined);
    throw error;
  }
}
