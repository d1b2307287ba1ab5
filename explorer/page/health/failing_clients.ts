import { wholeText } from "../parts/format.ts";
import { visibleLine } from "../parts/visible_text.ts";
import { card } from "./health_now.ts";
import type { Look } from "./health_numbers.ts";
import type { Sample } from "./metrics_text.ts";

/*
 * The errors that clients have received, by code and route.
 */

const NAME = "service_request_errors_total";

/** Errors that a correct client never gets. */
const MISTAKES: readonly string[] = ["InvalidRequest", "PayloadTooLarge", "Unauthorized"];

const ROWS_MAX = 6;

/** The mistakes of clients since the server started, the most frequent first; undefined when there are none. */
export function failingClientsCard(now: Look, before: Look | undefined): HTMLElement | undefined {
  const found = mistakesIn(now).sort((a, b) => b.value - a.value);
  if (found.length === 0) return undefined;
  const total = sumOf(found);
  const isGrowing = before !== undefined && total > sumOf(mistakesIn(before));
  const rows = found.slice(0, ROWS_MAX).map(({ labels, value }): [string, string] => [
    visibleLine(`${labels["code"]} ${labels["method"]} ${labels["route"]}`),
    wholeText(value),
  ]);
  return card("Mistakes of clients", `${wholeText(total)} since the start`, rows, isGrowing);
}

function mistakesIn({ metrics }: Look): Sample[] {
  const { samples = [] } = metrics.get(NAME) ?? {};
  return samples.filter(({ labels }) => MISTAKES.includes(labels["code"] ?? ""));
}

function sumOf(samples: readonly Sample[]): number {
  return samples.reduce((sum, { value }) => sum + value, 0);
}
