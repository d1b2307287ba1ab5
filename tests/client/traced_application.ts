import * as api from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";

/**
 * Runs the work in an application that has set up the SDK, with its OTLP exporter. Spans are sent in the order of their
 * ends, the last ones when the work has ended.
 * @param url takes spans by OTLP
 */
export async function inTracedApplication(url: string, work: () => Promise<unknown>): Promise<void> {
  const exporter = new OTLPTraceExporter({ url: `${url}/v1/traces` });
  const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
  const contexts = new AsyncLocalStorageContextManager().enable();
  api.context.setGlobalContextManager(contexts);
  api.trace.setGlobalTracerProvider(provider);
  try {
    await work();
    await provider.forceFlush();
  } finally {
    await provider.shutdown();
    contexts.disable();
    api.trace.disable();
    api.context.disable();
  }
}
