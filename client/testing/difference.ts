import type { NewEvent, StoredEvent, Tags } from "../events.ts";
import { listOf } from "../one_or_more.ts";

/** Metadata that the client adds to events by itself. */
const OWN_METADATA = ["decisionId", "writeKey", "schemaVersion", "traceparent"];

type Event = NewEvent | StoredEvent;

/**
 * Compares events with the expected ones: their types, identifiers and payloads, and the metadata of each expected event
 * that names some.
 * @returns a text that shows what differs, line by line; undefined when nothing does
 */
export function differenceOf(
  expected: readonly NewEvent[],
  written: readonly StoredEvent[],
): string | undefined {
  const wanted = expected.map((event) => linesOf(event, event.metadata));
  const found = written.map((event, i) => linesOf(event, expected[i]?.metadata));
  const steps = diff(wanted.map((lines) => lines.join("\n")), found.map((lines) => lines.join("\n")));
  return steps.some(([mark]) => mark !== " ")
    ? [...inLines(steps)].map((step) => step.join(" ")).join("\n")
    : undefined;
}

/** The events as lines, as in a difference. */
export function linesOfAll(events: readonly StoredEvent[]): string {
  return events.flatMap((event) => linesOf(event, undefined)).map((line) => `  ${line}`).join("\n");
}

function linesOf(event: Event, wantedMetadata: Tags | undefined): string[] {
  const { type, identifiers = {}, metadata = {}, payload } = event;
  const lines = [type];
  if (Object.keys(identifiers).length) lines.push(`  identifiers: ${textOf(asSets(identifiers))}`);
  if (wantedMetadata) {
    const others = Object.entries(metadata).filter(([name]) =>
      name in wantedMetadata || !OWN_METADATA.includes(name)
    );
    lines.push(`  metadata: ${textOf(asSets(Object.fromEntries(others)))}`);
  }
  const [first, ...rest] = (textOf(payload, 2) ?? "undefined").split("\n");
  return [...lines, `  payload: ${first}`, ...rest.map((line) => `  ${line}`)];
}

/** The order of a name's values has no meaning. */
function asSets(tags: Tags): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(tags).map(([name, values]) => {
      const sorted = [...listOf(values)].sort();
      return [name, sorted.length === 1 ? sorted[0]! : sorted];
    }),
  );
}

/** JSON text with sorted keys, so that equal values have equal texts. */
function textOf(value: unknown, indent?: number): string {
  const isObject = (value: unknown): value is object => Object(value) === value && !Array.isArray(value);
  const sorted = (_: string, value: unknown): unknown =>
    isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1)) : value;
  return JSON.stringify(value, sorted, indent);
}

type Step = readonly [mark: " " | "-" | "+", text: string];

/** The steps in lines. Of an event that was replaced by another one, equal lines come once. */
function* inLines(steps: readonly Step[]): Generator<Step> {
  for (let i = 0; i < steps.length;) {
    const isGap = steps[i]![0] !== " ";
    const end = steps.findIndex(([mark], k) => k >= i && (mark !== " ") !== isGap);
    const part = steps.slice(i, end < 0 ? undefined : end);
    i += part.length;
    const [missing, others] = ["-", "+"].map((mark) =>
      part.filter((step) => step[0] === mark).map(([, text]) => text)
    );
    for (let k = 0; k < Math.max(missing!.length, others!.length); k++) {
      yield* diff(missing![k]?.split("\n") ?? [], others![k]?.split("\n") ?? []);
    }
    if (!isGap) yield* part.flatMap(([mark, text]) => text.split("\n").map((line): Step => [mark, line]));
  }
}

/** Both lists in order: equal texts once, others with `-` for wanted and `+` for found ones. */
function diff(wanted: readonly string[], found: readonly string[]): Step[] {
  /** The length of the longest common subsequence of the rests that begin here. */
  const common = Array.from({ length: wanted.length + 1 }, () => new Array<number>(found.length + 1).fill(0));
  for (let i = wanted.length - 1; i >= 0; i--) {
    for (let j = found.length - 1; j >= 0; j--) {
      common[i]![j] = wanted[i] === found[j]
        ? common[i + 1]![j + 1]! + 1
        : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
    }
  }
  const steps: Step[] = [];
  for (let i = 0, j = 0; i < wanted.length || j < found.length;) {
    if (i < wanted.length && wanted[i] === found[j]) {
      steps.push([" ", wanted[i]!]);
      [i, j] = [i + 1, j + 1];
    } else if (j === found.length || i < wanted.length && common[i + 1]![j]! >= common[i]![j + 1]!) {
      steps.push(["-", wanted[i++]!]);
    } else steps.push(["+", found[j++]!]);
  }
  return steps;
}
