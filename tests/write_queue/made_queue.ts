import { Admission } from "../../src/write_queue/admission.ts";
import { type EndedWrite, WriteQueue } from "../../src/write_queue/write_queue.ts";
import { kindOf } from "../store/outcomes.ts";
import { FakeWriter, settled, storeOf, writeNamed } from "./fake_writer.ts";

/** A queue whose writer is a fake one, and a short way to add a write by its name. */
export function makeQueue(options: { waitingMax?: number; groupWritesMax?: number } = {}): {
  queue: WriteQueue;
  writer: FakeWriter;
  write: (name: string, bytes?: number) => Promise<EndedWrite>;
} {
  const writer = new FakeWriter();
  const queue = new WriteQueue({
    store: storeOf(writer),
    waitingMax: options.waitingMax ?? 100,
    fullCode: "WriteQueueFull",
    ...(options.groupWritesMax === undefined ? {} : { groupWritesMax: options.groupWritesMax }),
  });
  return {
    queue,
    writer,
    write: (name, bytes) => queue.write(new Admission("write", undefined, bytes), writeNamed(name)),
  };
}

/** A job that runs alone until it is ended. */
export function held(): { run: () => Promise<string>; end: () => void; begun: () => boolean } {
  const { promise, resolve } = Promise.withResolvers<string>();
  let begun = false;
  return {
    run: () => {
      begun = true;
      return promise;
    },
    end: () => resolve("done"),
    begun: () => begun,
  };
}

/** Runs by name, each of which continues until the test ends it. */
export class HeldRuns {
  /** The runs that were begun, in order. */
  readonly begun: string[] = [];
  readonly #ends = new Map<string, () => void>();

  begin(name: string): Promise<string> {
    this.begun.push(name);
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#ends.set(name, () => resolve(name));
    return promise;
  }

  end(name: string): Promise<void> {
    this.#ends.get(name)!();
    return settled();
  }
}

/** The kind of the outcome of a write. */
export function endKind({ outcome }: EndedWrite): string | undefined {
  return kindOf(outcome);
}
