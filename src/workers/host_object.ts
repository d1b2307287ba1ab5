import { type Answer, errorAnswer } from "./answer.ts";
import { movedBuffers } from "./moved_buffers.ts";
import type { RemoteOptions } from "./call_codec.ts";
import { SharedAnswers } from "./shared_answers.ts";

/*
 * An object that lives in a worker, and calls of its methods. Calls go through shared memory where there is a codec,
 * otherwise over the worker's message port. Messages move the buffers of event lines and of request bodies, without
 * copies.
 */

/** An object that can live in a worker. */
interface Hosted {
  /** Sent to the main thread once the object is open. */
  readonly opened?: unknown;
  /** Runs calls that came together through shared memory. If it throws, all of them fail with that error. */
  together?(run: () => void): void;
  /** Work to do after each answer, while the main thread already continues. */
  afterAnswer?(): void;
  close(): void;
}

// deno-lint-ignore no-explicit-any -- stands for the arguments of every open, the last of which sends notifications
export type HostedClass = { open(...args: any[]): Hosted };

export interface Invocation {
  /** The answer has the same ID. */
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
  /** Comes with the first call, which opens the object. Later calls may come through this memory. */
  readonly memory?: SharedArrayBuffer | undefined;
}

declare const self: {
  onmessage: (event: MessageEvent<Invocation>) => void;
  postMessage(message: object, transfer: Transferable[]): void;
};

/**
 * Makes this worker host one object of a class. The first call opens the object.
 * @param options the same as the options of its `RemoteWorker`
 */
export function hostObject(hosted: HostedClass, options?: RemoteOptions): void {
  let object: Hosted | undefined;
  const notify = (notification: object): void => self.postMessage(notification, []);
  const invoke = (method: string, args: readonly unknown[]): unknown => {
    if (method !== "open") return (object as unknown as Record<string, Method>)[method]!(...args);
    object = hosted.open(...args, notify);
    return object.opened;
  };
  const perform = (method: string, args: () => readonly unknown[]): Answer => {
    try {
      return { value: invoke(method, args()) };
    } catch (error) {
      return errorAnswer(error as Error);
    }
  };
  const together = (run: () => void): void => object?.together === undefined ? run() : object.together(run);
  const afterAnswer = (): void => object?.afterAnswer?.();
  self.onmessage = ({ data: { id, method, args, memory } }) => {
    send(id, perform(method, () => args));
    if (method !== "close") afterAnswer();
    if (memory === undefined || options === undefined) return;
    const server = { perform, together, send, afterAnswer };
    new SharedAnswers(memory, options.codecs, server, options.callsMax).serve();
  };
}

type Method = (...args: readonly unknown[]) => unknown;

function send(id: number, answer: Answer): void {
  try {
    self.postMessage({ id, answer }, "value" in answer ? movedBuffers([answer.value]) : []);
  } catch (error) {
    // The value cannot be sent. Without an answer the caller would wait forever.
    self.postMessage({ id, answer: errorAnswer(error as Error) }, []);
  }
}
