import { VERSION } from "../config/version.ts";
import type { ConnectionCounts } from "../http/transport/listener.ts";
import type { Tokens } from "../http/authorization.ts";
import type { RequestMetrics } from "../http/request_metrics.ts";
import { counter, gauge, gaugeIfKnown, metricText } from "../metrics/exposition.ts";
import { processMetrics } from "../metrics/process_metrics.ts";
import type { DescriptorBudget } from "./descriptors.ts";
import type { Role } from "./role.ts";

/** The counters around the edition. */
export interface ProgramParts {
  readonly edition: string;
  readonly requests: RequestMetrics;
  readonly tokens: Pick<Tokens, "text"> | undefined;
  readonly connections: ConnectionCounts;
  readonly descriptors: DescriptorBudget;
  readonly role: Pick<Role, "isActive" | "storeId" | "activations">;
}

/** Returns the metrics of the program around the edition, for `/metrics`. */
export function programMetrics(
  { edition, requests, tokens, connections, descriptors, role }: ProgramParts,
): string {
  const { open, rejected } = connections;
  const labels = `store="${role.storeId}"`;
  return [
    metricText(
      "service_active",
      "gauge",
      "1 if this server works on its store, 0 while it stands by for another one.",
      [{ labels, value: Number(role.isActive) }],
    ),
    metricText(
      "service_activations_total",
      "counter",
      "How often this server has begun to work on its store: at its start, or as it took over.",
      [{ labels, value: role.activations }],
    ),
    requests.text(),
    tokens?.text() ?? "",
    gauge("service_connections_open", "Open connections.", open),
    gaugeIfKnown(
      "service_connections_max",
      "Connections that may be open, as the file descriptors allow; shown once over half of them are.",
      descriptors.connectionsMax(open),
    ),
    counter(
      "service_connections_refused_total",
      "Connections closed as soon as they were opened, since no file descriptor was left for them.",
      rejected,
    ),
    buildInfo(edition),
    processMetrics(),
  ].join("");
}

function buildInfo(edition: string): string {
  const labels = `version="${VERSION}",edition="${edition}",runtime="deno ${Deno.version.deno}"`;
  return metricText("service_build_info", "gauge", "What is running; always 1.", [{ labels, value: 1 }]);
}
