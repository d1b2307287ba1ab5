import { delay } from "../../src/async/delay.ts";
import { Buffer } from "node:buffer";
import { DatabaseSync } from "node:sqlite";
import type { Counts } from "./counts.ts";

/*
 * A program that costs exactly this much, half of it in its worker, to test the counting. It reports twice.
 */

export const KNOWN_COSTS: Omit<Counts, "promotedBytes"> = {
  statements: 8,
  messages: 6,
  buffers: 8,
  bufferKibibytes: 46,
};

/** The bytes that the main thread keeps beyond quick collections, in addition to those of the runtime. */
export const PROMOTED_BYTES = 2 ** 20;

const WORD_BYTES = 8;

const longLived = new Map<number, unknown>();

/**
 * Leaves garbage that only a full collection finds: a long-lived map keeps each of its old tables, with the content.
 */
function leaveGarbage(): void {
  const lists = 64;
  for (let i = 0; i < lists; i++) {
    longLived.set(i, new Array(PROMOTED_BYTES / WORD_BYTES / lists).fill(i));
  }
  longLived.clear();
}

const inWorker = "DedicatedWorkerGlobalScope" in globalThis;

/** Costs 4 statements, 2 messages besides the one that goes to the other thread, and 4 buffers of 23 KiB together. */
function spend(): void {
  using database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE t (a)");
  const statement = database.prepare("INSERT INTO t VALUES (1) RETURNING a");
  statement.run();
  statement.get();
  statement.all();

  Atomics.notify(new Int32Array(new SharedArrayBuffer(16)), 0);
  const { port1, port2 } = new MessageChannel();
  port1.postMessage("");
  port1.close();
  port2.close();

  const buffer = new ArrayBuffer(8192);
  new Uint8Array(buffer).subarray(10);
  new Uint8Array(100);
  new Uint8Array(4096);
  Buffer.concat([Buffer.from("small"), Buffer.alloc(4091)]);
  new TextEncoder().encode("x".repeat(7000));
}

function report(): Promise<void> {
  Deno.kill(Deno.pid, "SIGUSR2");
  return delay(100);
}

if (inWorker) {
  const worker = globalThis as unknown as { onmessage: () => void; postMessage(message: string): void };
  worker.onmessage = () => {
    spend();
    worker.postMessage("done");
  };
} else if (import.meta.main) {
  await report();
  const worker = new Worker(import.meta.url, { type: "module" });
  worker.postMessage("");
  await new Promise((resolve) => worker.onmessage = resolve);
  worker.terminate();
  spend();
  leaveGarbage();
  await report();
  Deno.exit(0);
}
