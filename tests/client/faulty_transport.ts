import type { Transport, TransportReply, TransportRequest } from "../../client/mod.ts";

/** A fault of the network, which one request meets. */
export type Fault =
  /** The request never arrives. */
  | "request lost"
  /** The server executes the request, and the answer is lost. */
  | "answer lost"
  /** Half of the answer arrives. */
  | "answer cut"
  | "none";

/** A transport that wraps a real one and loses requests and answers. */
export class FaultyTransport implements Transport {
  readonly requests: TransportRequest[] = [];
  /** Chooses the fault of a request; runs before the request is sent. */
  fault: (request: TransportRequest) => Fault | Promise<Fault> = () => "none";
  readonly #real: Transport;

  constructor(real: Transport) {
    this.#real = real;
  }

  async send(request: TransportRequest): Promise<TransportReply> {
    this.requests.push(request);
    const fault = await this.fault(request);
    if (fault === "request lost") throw new Error("the request is lost");
    const reply = await this.#real.send(request);
    if (fault === "none") return reply;
    const bytes = new TextEncoder().encode(await reply.text());
    if (fault === "answer lost") throw new Error("the answer is lost");
    return {
      status: reply.status,
      header: (name) => name === "content-length" ? undefined : reply.header(name),
      text: () => Promise.reject(new Error("the answer is cut")),
      pieces: () => halfOf(bytes),
    };
  }
}

async function* halfOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes.subarray(0, bytes.length / 2);
  throw new Error("the answer is cut");
}

/** An answer that a test prepared. */
export interface ScriptedAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers?: HeadersInit;
}

/** An error answer in the form that the server gives it. */
export function ownError(status: number, error: string, facts: object = {}): ScriptedAnswer {
  return { status, body: JSON.stringify({ error, ...facts }), headers: { "x-service-error": error } };
}

/** A transport that gives prepared answers without any server, and repeats the last one. */
export class ScriptedTransport implements Transport {
  readonly requests: TransportRequest[] = [];
  readonly #answers: ScriptedAnswer[];

  constructor(...answers: ScriptedAnswer[]) {
    this.#answers = answers;
  }

  send(request: TransportRequest): Promise<TransportReply> {
    this.requests.push(request);
    const { status, body, headers = {} } = this
      .#answers[Math.min(this.requests.length, this.#answers.length) - 1]!;
    const response = new Response(body, { status, headers });
    return Promise.resolve({
      status,
      header: (name) => response.headers.get(name),
      text: () => response.text(),
      pieces: () => response.body!,
    });
  }
}
