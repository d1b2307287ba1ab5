import { metricsReply } from "../editions/shared/common_metrics.ts";
import type { Handler } from "../http/exchange.ts";
import { getRoute } from "../http/router.ts";
import { makePipeline } from "../http/pipeline.ts";
import { ApiError } from "../model/errors.ts";
import type { Standby } from "../store/api/standby.ts";
import { type LeadershipHost, pipelineOptions } from "./leadership.ts";

/**
 * Answers requests while another server is active. It shows the metrics of this server and rejects everything else.
 * So a proxy sees from any answer that it must ask the other server.
 */
export function makeStandbyHandler(host: LeadershipHost, standby: Pick<Standby, "fault">): Handler {
  const reject = (): never => {
    throw new ApiError(
      "Standby",
      "another server is active on the store; this one takes over when that ends",
    );
  };
  return makePipeline({
    ...pipelineOptions(host),
    routes: [
      getRoute("none", "/health", () => {
        if (standby.fault !== undefined) throw new ApiError("Unavailable", standby.fault);
        return reject();
      }),
      getRoute("operate", "/metrics", () => metricsReply(host.programMetrics())),
    ],
    rejectOthers: reject,
  });
}
