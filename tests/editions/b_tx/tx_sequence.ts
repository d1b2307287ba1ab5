import assert from "node:assert/strict";
import { type CallName, type Outcome, payloadOf, ReferenceWorld } from "./tx_reference.ts";

/** Sends a request to an implementation of edition B. */
export type Send = (method: string, path: string, json?: unknown) => Promise<Answer>;

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Names that belong to one run of a sequence, so that many runs can use one store. */
export interface Names {
  readonly eventType: string;
  readonly projectionType: string;
}

/** An implementation of edition B that serves the calls of one sequence. */
export interface Subject {
  readonly names: Names;
  readonly send: Send;
  /** Writes a matching event and changes both projections, as another client. */
  readonly outside: (payload: string) => Promise<void>;
}

/** Sends the calls to the subject and to the reference, and compares every answer. */
export async function compareWithReference(subject: Subject, calls: readonly CallName[]): Promise<void> {
  const reference = new ReferenceWorld();
  let txId = "00000000-0000-4000-8000-000000000000";
  for (const [place, call] of calls.entries()) {
    const expected = reference.perform(call, place);
    let outcome: Outcome;
    if (call === "outside") {
      await subject.outside(payloadOf(place));
      outcome = { status: 200 };
    } else {
      const answer = await subject.send(...requestOf(call, subject.names, txId, payloadOf(place)));
      if (call === "begin" && answer.status === 200) txId = JSON.parse(answer.text).txId as string;
      outcome = outcomeOf(call, answer, subject.names);
    }
    assert.deepEqual(outcome, expected, `${calls.slice(0, place + 1).join(", ")}`);
  }
  await subject.send("DELETE", `/tx/${txId}`);
  if (calls.at(-1) !== "commit") return;
  assert.deepEqual(await contentOf(subject), reference.content, `the store after ${calls.join(", ")}`);
}

type Request = [method: string, path: string, json?: unknown];

function requestOf(
  call: Exclude<CallName, "outside">,
  { eventType, projectionType }: Names,
  txId: string,
  payload: string,
): Request {
  const path = `/tx/${txId}`;
  switch (call) {
    case "begin":
      return ["POST", "/tx"];
    case "read":
      return ["QUERY", `${path}/events`, { query: [{ types: [eventType] }] }];
    case "readNone":
      return ["QUERY", `${path}/events`, { query: "none" }];
    case "write":
      return ["POST", `${path}/events`, { events: [{ type: eventType, payload }] }];
    case "writeNothing":
      return ["POST", `${path}/events`, { events: [] }];
    case "commit":
      return ["POST", `${path}/commit`];
    case "abandon":
      return ["DELETE", path];
  }
  const [, kind = "", id = ""] = /^([a-z]+)(Present|Missing)$/.exec(call) ?? [];
  if (kind === "get") return ["GET", `${path}/projections/${projectionType}/${id}`];
  const key = { type: projectionType, id };
  return ["POST", `${path}/projections`, { [kind]: [kind === "delete" ? key : { ...key, payload }] }];
}

function outcomeOf(call: CallName, { status, text }: Answer, { projectionType }: Names): Outcome {
  if (status >= 400) {
    const { error, message } = JSON.parse(text) as { error: string; message?: string };
    if (status !== 409) return { status, error };
    return { status, error, message: message?.replace(`projection ${projectionType}/`, "projection ") ?? "" };
  }
  if (call === "read" || call === "readNone") return { status, found: payloadsOf(text) };
  if (call.startsWith("get")) return { status, found: text };
  return { status };
}

function payloadsOf(ndjson: string): string[] {
  const lines = ndjson.split("\n");
  assert.deepEqual(lines.slice(-2), ['{"end":true}', ""], "trailer");
  return lines.slice(0, -2).map((line) => {
    const { sequence, payload } = JSON.parse(line) as { sequence?: number; payload: string };
    return sequence === undefined ? `+${payload}` : payload;
  });
}

/** Reads the content of the store in a later transaction. */
async function contentOf({ names, send }: Subject): Promise<ReferenceWorld["content"]> {
  const txId = JSON.parse((await send("POST", "/tx")).text).txId as string;
  const projection = async (id: string): Promise<string | undefined> => {
    const { status, text } = await send("GET", `/tx/${txId}/projections/${names.projectionType}/${id}`);
    return status === 404 ? undefined : text;
  };
  const content = {
    present: await projection("Present"),
    missing: await projection("Missing"),
    events: payloadsOf((await send(...requestOf("read", names, txId, ""))).text),
  };
  await send("DELETE", `/tx/${txId}`);
  return content;
}
