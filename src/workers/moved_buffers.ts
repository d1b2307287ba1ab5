import { hasOwnBuffer } from "./short_bytes.ts";

/** Returns the buffers of event lines and of request bodies, which a message moves without copying them. */
export function movedBuffers(values: readonly unknown[]): Transferable[] {
  return values.flatMap((value) => {
    if (Array.isArray(value)) return movedBuffers(value);
    const { lines, body } = (value ?? {}) as { readonly lines?: unknown; readonly body?: unknown };
    return [lines, body].flatMap((part) =>
      part instanceof Uint8Array && hasOwnBuffer(part) ? [part.buffer as ArrayBuffer] : []
    );
  });
}
