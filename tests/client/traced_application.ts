import * as api from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { BasicTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";

/**
 * Runs the work in an application that has set up the SDK, with its OTLP exporter. At the end, all spans are sent.
 * @param url takes spans by OTLP
 */
export async function inTracedApplication(url: string, work: () => Promise<unknown>): Promise<void> {
  const exporter = new OTLPTraceExporter({ url: `${url}/v1/traces` });
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
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
