import type { Edition } from "../filter/query.ts";
import { parseMetrics } from "../health/metrics_text.ts";

/** Determines the edition of a server: each has metrics that the others lack. */
export function editionOf(metricsText: string): Edition {
  const metrics = parseMetrics(metricsText);
  if (metrics.has("service_transactions_open")) return "B";
  if (metrics.has("service_transaction_active")) return "C";
  return "A";
}
