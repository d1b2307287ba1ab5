/*
 * `@opentelemetry/api` belongs to the application, and this client depends on nothing. So these types describe the
 * parts of that module that the client uses.
 */

/** The module `@opentelemetry/api`, as far as the client uses it. Pass the module itself. */
export interface OpenTelemetry {
  /** Starts spans. */
  readonly trace: {
    getTracer(name: string): {
      startSpan(
        name: string,
        options: { kind: number; attributes: SpanAttributes },
        context: TraceContext,
      ): TraceSpan;
    };
    setSpan(context: TraceContext, span: TraceSpan): TraceContext;
    setSpanContext(context: TraceContext, span: TraceParent & { isRemote: boolean }): TraceContext;
  };
  /** Carries the current span. */
  readonly context: {
    active(): TraceContext;
    with<T>(context: TraceContext, work: () => T): T;
  };
  /** Writes the headers by which another program continues the trace. */
  readonly propagation: { inject(context: TraceContext, carrier: Record<string, string>): void };
}

/** Values that belong to the work in progress, such as its span. */
export interface TraceContext {
  /** A value; undefined when there is none. */
  getValue(key: symbol): unknown;
  /** A context with another value. */
  setValue(key: symbol, value: unknown): TraceContext;
  /** A context without the value. */
  deleteValue(key: symbol): TraceContext;
}

/** Facts about a span, by name. */
export type SpanAttributes = Record<string, string | number>;

/** The identity of a span. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** 1 if the trace is recorded. */
  readonly traceFlags: number;
}

/** A span that has begun. */
export interface TraceSpan {
  /** The identity of the span. */
  spanContext(): TraceParent;
  /** Adds a fact. */
  setAttribute(name: string, value: string | number): unknown;
  /** Says that the work has failed. */
  setStatus(status: { code: number; message: string }): unknown;
  /** Ends the span. */
  end(): void;
}
