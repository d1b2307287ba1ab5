import { compare, Disagreement, type Outcome } from "./compare.ts";
import { toBytes } from "./latin1.ts";
import { mutated } from "./mutate.ts";
import { asForNode } from "./node_dialect.ts";
import { Random } from "./random.ts";
import { NodeParser, type NodeVerdict } from "./reference.ts";
import { described, type OurVerdict, serveOurs } from "./subject.ts";
import { validRequests } from "./valid_requests.ts";

const BATCH = 500;

export interface Tally {
  cases: number;
  /** The number of requests that both parsers accepted and understood alike. */
  requestsTaken: number;
  readonly outcomes: Map<string, number>;
}

/** The bytes of one case, one character each. Case `n` of seed `s` is case 0 of seed `s + n`. */
export function caseText(seed: number): string {
  const random = new Random(seed);
  return mutated(random, validRequests(random));
}

/**
 * Compares ours with Node's parser on `count` cases.
 * @throws Disagreement with the seed and the bytes of the first case that they disagree on
 */
export async function runCampaign(
  seed: number,
  count: number,
  onProgress: (tally: Tally) => void = () => {},
): Promise<Tally> {
  await using node = new NodeParser();
  const tally: Tally = { cases: 0, requestsTaken: 0, outcomes: new Map() };
  while (tally.cases < count) {
    const seeds = Array.from(
      { length: Math.min(BATCH, count - tally.cases) },
      (_, i) => seed + tally.cases + i,
    );
    const texts = seeds.map(caseText);
    const reference = node.parse(texts.map((text) => toBytes(asForNode(text))));
    const ours: OurVerdict[] = [];
    for (const [i, text] of texts.entries()) ours.push(await serveSplit(seeds[i]!, text));
    for (const [i, verdict] of (await reference).entries()) {
      const outcome = judged(seeds[i]!, texts[i]!, ours[i]!, verdict);
      if (outcome === "nodeRejectsFirst") await completed(seeds[i]!, texts[i]!, verdict);
      addTo(tally, outcome, ours[i]!);
    }
    onProgress(tally);
  }
  return tally;
}

/** Serves the bytes in one packet, in two, and one by one. The result must be the same. */
async function serveSplit(seed: number, text: string): Promise<OurVerdict> {
  const bytes = toBytes(text);
  const at = seed % (bytes.length + 1);
  const whole = await serveOurs([bytes]);
  const inTwo = await serveOurs(
    [bytes.subarray(0, at), bytes.subarray(at)].filter(({ length }) => length > 0),
  );
  const one = await serveOurs(Array.from(bytes, (_, i) => bytes.subarray(i, i + 1)));
  for (const other of [inTwo, one]) {
    if (described(other) === described(whole)) continue;
    throw failure(seed, text, `a split makes a difference:\n${described(whole)}\n${described(other)}`);
  }
  return whole;
}

function judged(seed: number, text: string, ours: OurVerdict, node: NodeVerdict): Outcome {
  try {
    return compare(asForNode(text), ours, node);
  } catch (error) {
    if (!(error instanceof Disagreement)) throw error;
    throw failure(seed, text, `${error.message}\nours ${described(ours)}\nNode ${JSON.stringify(node)}`);
  }
}

/** Endings that complete a head or the line of a chunk. */
const COMPLETIONS = ["\r\n\r\n", "\r\n0\r\n\r\n", "\n\r\n"];

/** Completes a request for which ours waits and that Node has already rejected, so that ours has to decide. */
async function completed(seed: number, text: string, node: NodeVerdict): Promise<void> {
  for (const completion of COMPLETIONS) {
    judged(seed, text + completion, await serveOurs([toBytes(text + completion)]), node);
  }
}

function failure(seed: number, text: string, what: string): Disagreement {
  return new Disagreement(`seed ${seed}: ${JSON.stringify(text)}\n${what}`);
}

function addTo(tally: Tally, outcome: Outcome, ours: OurVerdict): void {
  const name = typeof outcome === "string" ? outcome : `ours rejects: ${outcome.difference}`;
  tally.outcomes.set(name, (tally.outcomes.get(name) ?? 0) + 1);
  tally.cases++;
  tally.requestsTaken += ours.requests.filter(({ body }) => body !== undefined).length;
}
