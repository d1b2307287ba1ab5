import { ClientDisconnected } from "../../../../src/model/errors.ts";
import { BodyTooLarge, type Handler, type Malformed } from "../../../../src/http/exchange.ts";
import { BodyBudget } from "../../../../src/http/transport/body_budget.ts";
import { Connection, type Socket } from "../../../../src/http/transport/connection.ts";
import { ReadingClock } from "../../../../src/time/reading_clock.ts";
import { TIMEOUTS } from "../../../../src/http/transport/timeouts.ts";
import { emptyReply, textReply } from "../../../../src/http/replies.ts";
import { fromBytes } from "./latin1.ts";
import { FIELD_NAMES } from "./valid_requests.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const BODY_BYTES_MAX = 1024 * 1024;

/** A request that reached the handler. */
export interface OurRequest {
  readonly method: string;
  readonly target: string;
  readonly header: (name: string) => string | undefined;
  /** Undefined when the body was rejected or is incomplete. */
  body: string | undefined;
}

export interface OurVerdict {
  readonly requests: readonly OurRequest[];
  /** `open`: ours waits for more. `closed`: ours answered the last request and closed the connection. */
  readonly end: "open" | "closed" | "rejected";
  /** The line that a rejected client gets. */
  readonly rejection: string;
}

/** Serves a client that sends these pieces, each in a packet, and then disconnects. */
export async function serveOurs(pieces: readonly Bytes[]): Promise<OurVerdict> {
  const requests: OurRequest[] = [];
  let bodyError: string | undefined;
  const handler: Handler = async (request) => {
    const seen: OurRequest = {
      method: request.method,
      target: request.target,
      header: (name) => request.header(name),
      body: undefined,
    };
    requests.push(seen);
    try {
      seen.body = fromBytes(await request.body(BODY_BYTES_MAX));
    } catch (error) {
      if (error instanceof ClientDisconnected) throw error;
      bodyError = error instanceof BodyTooLarge ? "too large" : (error as Malformed).message;
      return textReply(error instanceof BodyTooLarge ? 413 : 400, bodyError);
    }
    return emptyReply(204);
  };
  const { socket, written } = scripted(pieces);
  const clock = new ReadingClock();
  const bodies = new BodyBudget(TIMEOUTS, clock);
  const options = { onMalformed: () => {}, timeouts: TIMEOUTS, bodies, clock };
  await new Connection(socket, handler, options).serve();
  return { requests, ...endOf(fromBytes(written()), bodyError) };
}

/** Returns all of a verdict as one line, to compare two verdicts. */
export function described({ requests, end, rejection }: OurVerdict): string {
  const seen = requests.map(({ method, target, header, body }) => [
    method,
    target,
    body,
    FIELD_NAMES.map(header),
  ]);
  return JSON.stringify([seen, end, rejection]);
}

function scripted(pieces: readonly Bytes[]): { socket: Socket; written: () => Bytes } {
  let next = 0;
  let rest: Bytes = new Uint8Array();
  let replies: Bytes = new Uint8Array();
  const socket: Socket = {
    // deno-lint-ignore require-await
    async read(into) {
      if (rest.length === 0) {
        if (next === pieces.length) return null;
        rest = pieces[next++]!;
      }
      const taken = rest.subarray(0, into.length);
      into.set(taken);
      rest = rest.subarray(taken.length);
      return taken.length;
    },
    // deno-lint-ignore require-await
    async write(bytes) {
      const longer = new Uint8Array(replies.length + bytes.length);
      longer.set(replies);
      longer.set(bytes, replies.length);
      replies = longer;
      return bytes.length;
    },
    async closeWrite() {},
    close() {},
  };
  return { socket, written: () => replies };
}

function endOf(replies: string, bodyError: string | undefined): Pick<OurVerdict, "end" | "rejection"> {
  if (bodyError !== undefined) return { end: "rejected", rejection: bodyError };
  const rejected = /HTTP\/1\.1 4\d\d [^]*\r\n\r\n([^\r\n]+)\n$/.exec(replies);
  if (rejected !== null) return { end: "rejected", rejection: rejected[1]! };
  return { end: /\r\nConnection: close\r\n\r\n$/.test(replies) ? "closed" : "open", rejection: "" };
}
