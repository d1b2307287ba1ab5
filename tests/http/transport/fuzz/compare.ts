import { CLOSED, differenceFor } from "./differences.ts";
import type { NodeRequest, NodeVerdict } from "./reference.ts";
import { asForNode } from "./node_dialect.ts";
import type { OurRequest, OurVerdict } from "./subject.ts";
import { FIELD_NAMES } from "./valid_requests.ts";

/** The result of comparing both parsers on one sequence of bytes. */
export type Outcome =
  /** Both saw the same requests, and neither rejected anything. */
  | "same"
  /** Both saw the same requests, then both rejected the rest. */
  | "bothReject"
  /** Ours rejects a request that Node might still accept, or closes where Node accepts nothing more. */
  | "oursEnds"
  /** Node rejects a request on which ours has not decided. Ours must not accept it, however it continues. */
  | "nodeRejectsFirst"
  /** Ours rejected a request that Node accepted, for this listed difference. */
  | { readonly difference: string };

/** The error when the two parsers disagree in a way that is not listed. */
export class Disagreement extends Error {
  override readonly name = "Disagreement";
}

/**
 * Compares the results of our parser and Node's.
 * @param raw the bytes that Node got, one character each
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

/** Splits off the authority of an absolute target: Node passes such a target on unchanged. */
function targetOf({ target }: NodeRequest): { origin: string; authority: string | undefined } {
  const [, authority, rest = ""] = /^http:\/\/([^/?]*)(.*)$/i.exec(target) ?? [];
  if (authority === undefined) return { origin: target, authority };
  return { origin: rest.startsWith("/") ? rest : `/${rest}`, authority };
}

/** @returns the outcome when ours takes no request after this one; undefined when both have the same body */
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

/** Expects the same text from both. A body may differ where `asForNode` rewrote bytes that look like a head. */
function expectSame(what: string, ours: string | undefined, node: string | undefined): void {
  if (ours === node) return;
  if (ours !== undefined && node !== undefined && asForNode(ours) === asForNode(node)) return;
  throw new Disagreement(`${what} is ${JSON.stringify(ours)} for ours, ${JSON.stringify(node)} for Node`);
}
