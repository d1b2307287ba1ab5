import { CLOSED, differenceFor } from "./differences.ts";
import type { NodeRequest, NodeVerdict } from "./reference.ts";
import { asForNode } from "./node_dialect.ts";
import type { OurRequest, OurVerdict } from "./subject.ts";
import { FIELD_NAMES } from "./valid_requests.ts";

/** What both parsers made of one sequence of bytes. */
export type Outcome =
  /** The same requests, and neither rejected anything. */
  | "same"
  /** The same requests, then both rejected the rest. */
  | "bothReject"
  /** Ours rejects what Node might still take, or closes where Node takes nothing more. */
  | "oursEnds"
  /** Node rejects what ours has not decided on: however it goes on, ours must not take it. */
  | "nodeRejectsFirst"
  /** Ours rejected what Node took: the listed difference. */
  | { readonly difference: string };

/** The two parsers disagree in a way that is not listed. */
export class Disagreement extends Error {
  override readonly name = "Disagreement";
}

/**
 * Compares what ours and Node's parser understood.
 * @param raw the bytes that Node was given, one character each
 * @throws Disagreement when ours is looser, or understands something else, or rejects for no listed reason
 */
export function compare(raw: string, ours: OurVerdict, node: NodeVerdict): Outcome {
  for (const [i, request] of ours.requests.entries()) {
    const theirs = node.requests[i];
    if (theirs === undefined) {
      throw new Disagreement(`ours takes request ${i}, which Node rejects: ${node.error}`);
    }
    compareHeads(request, theirs);
    const outcome = compareBodies(raw, ours, node, i);
    if (outcome !== undefined) return outcome;
  }
  const next = node.requests[ours.requests.length];
  if (next === undefined) return endWithoutNext(ours, node);
  if (ours.end === "rejected") return listed(ours.rejection, raw, next);
  const last = node.requests[ours.requests.length - 1];
  if (ours.end === "closed" && last !== undefined) return listed(CLOSED, raw, last);
  throw new Disagreement(`Node takes request ${ours.requests.length}, for which ours waits`);
}

function compareHeads(ours: OurRequest, node: NodeRequest): void {
  const { origin, authority } = targetOf(node);
  expectSame("method", ours.method, node.method);
  expectSame("target", ours.target, origin);
  const values = new Map<string, string>();
  for (let i = 0; i < node.fields.length; i += 2) {
    const name = node.fields[i]!.toLowerCase();
    const value = node.fields[i + 1]!;
    const earlier = values.get(name);
    values.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  if (authority !== undefined) values.set("host", authority);
  for (const name of new Set([...values.keys(), ...FIELD_NAMES])) {
    expectSame(`field ${name}`, ours.header(name), values.get(name));
  }
}

/** Node hands an absolute target on as it is. */
function targetOf({ target }: NodeRequest): { origin: string; authority: string | undefined } {
  const [, authority, rest = ""] = /^http:\/\/([^/?]*)(.*)$/i.exec(target) ?? [];
  if (authority === undefined) return { origin: target, authority };
  return { origin: rest.startsWith("/") ? rest : `/${rest}`, authority };
}

/** @returns how it ends when no request follows this one in ours; undefined when both have the same body */
function compareBodies(
  raw: string,
  ours: OurVerdict,
  verdict: NodeVerdict,
  i: number,
): Outcome | undefined {
  const request = ours.requests[i]!;
  const node = verdict.requests[i]!;
  if (request.body !== undefined) {
    expectSame("body", request.body, node.complete ? node.body : undefined);
    return undefined;
  }
  if (!node.complete) return endWithoutNext(ours, verdict);
  if (ours.end !== "rejected") {
    throw new Disagreement("ours waits for more of a body that is complete for Node");
  }
  return listed(ours.rejection, raw, node);
}

function endWithoutNext(ours: OurVerdict, node: NodeVerdict): Outcome {
  if (ours.end === "rejected") return node.error === null ? "oursEnds" : "bothReject";
  if (node.error === null) return "same";
  return ours.end === "open" ? "nodeRejectsFirst" : "oursEnds";
}

function listed(rejection: string, raw: string, node: NodeRequest): Outcome {
  const difference = differenceFor(rejection, raw, node);
  if (difference === undefined) throw new Disagreement(`ours rejects what Node takes: ${rejection}`);
  return { difference };
}

/** What a body of chunks says may be in the words of ours or of Node, as it was cut. */
function expectSame(what: string, ours: string | undefined, node: string | undefined): void {
  if (ours === node) return;
  if (ours !== undefined && node !== undefined && asForNode(ours) === asForNode(node)) return;
  throw new Disagreement(`${what} is ${JSON.stringify(ours)} for ours, ${JSON.stringify(node)} for Node`);
}
