import { Buffer } from "node:buffer";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Kind, KINDS, LARGE_BYTES, REPORT } from "./counts.ts";

/*
 * Counts the cost of a request: SQL statements, messages between threads (sent, or woken for by Atomics), and large
 * buffers. The main thread and each worker load this module before the server's own modules. The product does not
 * know it. On SIGUSR2 the main thread prints the counts of all threads so far, as one line. With `?trace` at the end
 * of this module's URL, each statement, message and buffer is written to standard error.
 */

/** The functions that are replaced here, found by name. */
// deno-lint-ignore no-explicit-any -- functions of every shape
type Functions = Record<string, any>;

const inWorker = "DedicatedWorkerGlobalScope" in globalThis;
const traced = new URL(import.meta.url).search === "?trace";

/** One number for each kind. A worker has its own until the main thread sends it the shared ones. */
let counts = new Int32Array(new SharedArrayBuffer(4 * KINDS.length));

function count(kind: Kind, by: number, detail: string): void {
  Atomics.add(counts, KINDS.indexOf(kind), by);
  if (!traced) return;
  const stack = new Error().stack!.split("\n").slice(4, 7).map((line) => line.trim()).join(" < ");
  Deno.stderr.writeSync(
    new TextEncoder().encode(`${self.name || "main"} ${kind} ${by}: ${detail} | ${stack}\n`),
  );
}

/** Calls `before` with `this` and the arguments each time the function is called. */
function spy(
  owner: Functions,
  name: string,
  before: (self: unknown, args: readonly unknown[]) => void,
): void {
  const original = owner[name];
  owner[name] = function (this: unknown, ...args: unknown[]): unknown {
    before(this, args);
    return original.apply(this, args);
  };
}

function countStatements(): void {
  const textOf = (statement: unknown): string => (statement as StatementSync).sourceSQL;
  for (const name of ["all", "get", "run", "iterate"]) {
    spy(StatementSync.prototype, name, (statement) => count("statements", 1, textOf(statement)));
  }
  // The driver keeps its methods on the prototype of the prototype that it exports.
  const driver = Object.getPrototypeOf(DatabaseSync.prototype);
  const owner = Object.hasOwn(DatabaseSync.prototype, "exec") ? DatabaseSync.prototype : driver;
  spy(owner, "exec", (_, [sql]) => count("statements", 1, String(sql)));
}

function countMessages(): void {
  spy(Worker.prototype, "postMessage", () => count("messages", 1, "to a worker"));
  spy(MessagePort.prototype, "postMessage", () => count("messages", 1, "to a port"));
  spy(BroadcastChannel.prototype, "postMessage", () => count("messages", 1, "to everyone"));
  spy(Atomics, "notify", () => count("messages", 1, "Atomics.notify"));
  if (inWorker) spy(globalThis, "postMessage", () => count("messages", 1, "to the main thread"));
}

/** Above 0 while a function runs that counts as a whole: the calls inside it do not count. */
let depth = 0;

function isMemory(value: unknown): boolean {
  return value instanceof ArrayBuffer || value instanceof SharedArrayBuffer;
}

function made(buffer: { readonly byteLength: number }, by: string): void {
  if (depth > 0 || buffer.byteLength < LARGE_BYTES) return;
  count("buffers", 1, `${by} of ${buffer.byteLength} bytes`);
  count("bufferKibibytes", Math.ceil(buffer.byteLength / 1024), by);
}

function countConstructor(name: string): void {
  const owner = globalThis as Functions;
  owner[name] = new Proxy(owner[name], {
    construct(target, args, newTarget) {
      const buffer = Reflect.construct(target, args, newTarget);
      // A view of existing memory is no new buffer.
      if (!isMemory(args[0])) made(buffer, `new ${name}`);
      return buffer;
    },
  });
}

function countResults(owner: Functions, name: string): void {
  const original = owner[name];
  owner[name] = function (this: unknown, ...args: unknown[]): unknown {
    depth++;
    let buffer;
    try {
      buffer = original.apply(this, args);
    } finally {
      depth--;
    }
    if (!isMemory(args[0])) made(buffer, name);
    return buffer;
  };
}

function countBuffers(): void {
  for (const name of ["alloc", "allocUnsafe", "allocUnsafeSlow", "concat", "from"]) {
    countResults(Buffer, name);
  }
  countResults(TextEncoder.prototype, "encode");
  countResults(Object.getPrototypeOf(Uint8Array.prototype), "slice");
  countResults(ArrayBuffer.prototype, "slice");
  for (const name of ["ArrayBuffer", "SharedArrayBuffer"]) countConstructor(name);
  for (const name of ["Uint8Array", "Int32Array", "Uint32Array", "Float64Array"]) countConstructor(name);
}

/** Makes workers start with this module, and then with their own. */
function countInWorkers(): void {
  const PlainWorker = Worker;
  // The method that does not count.
  const { postMessage } = PlainWorker.prototype;
  globalThis.Worker = class extends PlainWorker {
    constructor(module: string | URL, options?: WorkerOptions) {
      const text = [import.meta.url, String(module)].map((url) => `import ${JSON.stringify(url)};\n`).join(
        "",
      );
      super(URL.createObjectURL(new Blob([text], { type: "text/javascript" })), options);
      postMessage.call(this, { counts });
    }
  };
}

/** Handles the first message to a worker. Only this module sees it. */
function takeCounts(event: MessageEvent): void {
  removeEventListener("message", takeCounts as EventListener);
  event.stopImmediatePropagation();
  const early = counts;
  counts = event.data.counts;
  early.forEach((value, i) => Atomics.add(counts, i, value));
}

setFlagsFromString("--expose-gc");
const collectAll = runInNewContext("gc") as () => void;

/** Holds the last discarded object, so that the compiler does not remove its allocation. */
const thrownAway: { last?: unknown } = {};

/**
 * Makes the runtime run its quick collections, which look at young objects alone, by allocating more than they have
 * space for.
 */
function collectYoung(): void {
  for (let i = 0; i < 64 * 1024; i++) thrownAway.last = new Array(128).fill(i);
  delete thrownAway.last;
}

/** The memory of the old objects, in bytes. */
function oldBytes(): number {
  const spaces = getHeapSpaceStatistics().filter(({ space_name }) => !space_name.startsWith("new_"));
  return spaces.reduce((sum, { space_used_size }) => sum + space_used_size, 0);
}

/** Their memory after the last full collection. */
let oldBytesBefore = 0;

/**
 * Counts the bytes that have outlived quick collections since then. An old object keeps alive everything that it
 * points to, even if it is garbage itself. Such leftovers of requests make each collection slower.
 */
function countPromoted(): void {
  collectYoung();
  Atomics.add(counts, KINDS.indexOf("promotedBytes"), Math.max(0, oldBytes() - oldBytesBefore));
  collectAll();
  oldBytesBefore = oldBytes();
}

/** Each report has a number, so that a reader does not take an old one for the newest. */
let reports = 0;

function report(): void {
  countPromoted();
  const named = Object.fromEntries(KINDS.map((kind, i) => [kind, Atomics.load(counts, i)]));
  Deno.stdout.writeSync(
    new TextEncoder().encode(`${REPORT}${JSON.stringify({ report: ++reports, ...named })}\n`),
  );
}

if (inWorker) {
  addEventListener("message", takeCounts as EventListener);
} else {
  countInWorkers();
  Deno.addSignalListener("SIGUSR2", report);
}
countStatements();
countMessages();
countBuffers();
