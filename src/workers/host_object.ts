import { type Answer, errorAnswer } from "./answer.ts";
import type { CallCodecs } from "./call_codec.ts";
import { movedBuffers } from "./moved_buffers.ts";
import type { Notice, Tell } from "./notice.ts";
import { SharedCalls } from "./shared_calls.ts";

/*
 * An object that lives in a worker, and calls of its methods, one at a time: through shared memory where there is a
 * codec, otherwise over the worker's message port. Messages move the buffers of event lines and of request bodies
 * instead of copying them.
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
  /** Comes with the first call, which opens the object: where others may come from. */
  readonly memory?: SharedArrayBuffer | undefined;
}

declare const self: {
  onmessage: (event: MessageEvent<Invocation>) => void;
  postMessage(message: Answer | Notice, transfer: Transferable[]): void;
};

/**
 * Makes this worker the home of one object of a class, which the first call opens.
 * @param codecs those that its `RemoteWorker` has
 */
export function hostObject(hosted: HostedClass, codecs: CallCodecs = new Map()): void {
  let object: Hosted | undefined;
  const tell: Tell = (notice) => self.postMessage(notice, []);
  const invoke = (method: string, args: readonly unknown[]): unknown => {
    if (method !== "open") return (object as unknown as Record<string, Method>)[method]!(...args);
    object = hosted.open(...args, tell);
    return object.opened;
  };
  const perform = (method: string, args: () => readonly unknown[]): Answer => {
    try {
      return { value: invoke(method, args()) };
    } catch (error) {
      return errorAnswer(error as Error);
    }
  };
  const afterAnswer = (): void => object?.afterAnswer?.();
  self.onmessage = ({ data: { method, args, memory } }) => {
    send(perform(method, () => args));
    if (method !== "close") afterAnswer();
    if (memory !== undefined) new SharedCalls(memory, codecs).serve({ perform, send, afterAnswer });
  };
}

type Method = (...args: readonly unknown[]) => unknown;

function send(answer: Answer): void {
  try {
    self.postMessage(answer, "value" in answer ? movedBuffers([answer.value]) : []);
  } catch (error) {
    // The value cannot be sent. Without an answer the caller would wait forever.
    self.postMessage(errorAnswer(error as Error), []);
  }
}
