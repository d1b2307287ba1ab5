import type { BodyLimit } from "../../http/pipeline.ts";

/** The cap on request bodies of editions A and B. */
export function requestBodyLimit(settings: { readonly maxRequestBodySize: number }): BodyLimit {
  const { maxRequestBodySize: bytesMax } = settings;
  return { bytesMax, message: `request body exceeds maxRequestBodySize (${bytesMax} bytes)` };
}
