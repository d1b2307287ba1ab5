import { movedBuffers } from "./moved_buffers.ts";
import type { Notice, Tell } from "./notice.ts";

/*
 * An object that lives in a worker, and calls of its methods over the worker's message port, one at a time.
 * Buffers of event lines and of request bodies are moved, not copied.
 */

/** What can live in a worker. */
export interface Hosted {
  /** What the main thread learns once it is open. */
  readonly opened?: unknown;
  /** Work to do after each answer, while the main thread already continues. */
  afterAnswer?(): void;
  close(): void;
}

// deno-lint-ignore no-explicit-any -- stands for the arguments of every open
export type HostedClass = { open(...args: any[]): Hosted };

export interface Invocation {
  readonly method: string;
  readonly args: readonly unknown[];
}

export type Answer =
  | { readonly value: unknown }
  | { readonly error: { readonly name: string; readonly message: string } };

declare const self: {
  onmessage: (event: MessageEvent<Invocation>) => void;
  postMessage(message: Answer | Notice, transfer: Transferable[]): void;
};

/** Makes this worker the home of one object of a class, which the first call opens. */
export function hostObject(hosted: HostedClass): void {
  let object: Hosted | undefined;
  const tell: Tell = (notice) => self.postMessage(notice, []);
  const invoke = ({ method, args }: Invocation): unknown => {
    if (method !== "open") return (object as unknown as Record<string, Method>)[method]!(...args);
    object = hosted.open(...args, tell);
    return object.opened;
  };
  self.onmessage = ({ data }) => {
    try {
      const value = invoke(data);
      self.postMessage({ value }, movedBuffers([value]));
    } catch (error) {
      // Also when the value cannot be sent: without an answer the caller would wait forever.
      const { name, message } = error as Error;
      self.postMessage({ error: { name, message } }, []);
    }
    if (data.method !== "close") object?.afterAnswer?.();
  };
}

type Method = (...args: readonly unknown[]) => unknown;
