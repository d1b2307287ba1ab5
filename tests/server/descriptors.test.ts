import assert from "node:assert/strict";
import { DescriptorBudget, freeDescriptors, shareDescriptors } from "../../src/server/descriptors.ts";
import { eventually } from "../support/eventually.ts";
import { openDescriptors } from "../http/transport/support/transport_process.ts";
import { type ServerProcess, startServer } from "../support/server_process.ts";

const READERS = 8;

Deno.test("readers come first but take no more than half of what is free", () => {
  for (let free = 0; free < 4000; free++) {
    const { readers, connections } = shareDescriptors(free, READERS);
    assert.ok(readers >= 1 && readers <= READERS, `${free} free: ${readers} readers`);
    assert.ok(connections >= 1 && connections <= 2000, `${free} free: ${connections} connections`);
    if (readers > 1) assert.ok(10 * readers <= free / 2, `${free} free: ${readers} readers`);
    if (connections > 1) assert.ok(10 * readers + connections < free, `${free} free: something is left`);
  }
});

Deno.test("with plenty of descriptors there are all readers and 2000 connections", () => {
  assert.deepEqual(shareDescriptors(20_000, READERS), { readers: READERS, connections: 2000 });
  assert.deepEqual(shareDescriptors(2199, READERS), { readers: READERS, connections: 2000 });
});

Deno.test("counting the free descriptors closes all of them again", () => {
  const before = openDescriptors(Deno.pid);
  assert.equal(freeDescriptors(50), 50);
  assert.equal(openDescriptors(Deno.pid), before);
});

/** A process with a limit on its descriptors, which its connections use, too. */
class Process {
  open = 0;
  counted = 0;
  readonly budget: DescriptorBudget;

  constructor(descriptors: number) {
    this.budget = new DescriptorBudget(READERS, (enough) => {
      const free = Math.min(enough, descriptors - this.open);
      this.counted = Math.max(this.counted, free);
      return free;
    });
  }

  /** Connects as many clients as possible. */
  connect(atMost = Infinity): void {
    while (this.open < atMost && this.budget.hasCapacity(this.open)) this.open++;
  }
}

Deno.test("a start counts no more descriptors than the table of a process holds at first", () => {
  const process = new Process(20_000);
  assert.ok(process.counted <= 220, `${process.counted} descriptors were counted`);
  process.connect(100);
  assert.ok(process.counted <= 220, `${process.counted} descriptors were counted`);
});

Deno.test("as connections come, descriptors are counted again, up to 2000 connections", () => {
  const process = new Process(20_000);
  process.connect();
  assert.equal(process.open, 2000);
});

Deno.test("connections leave all the descriptors that the store needs, whatever the limit is", () => {
  for (let descriptors = 0; descriptors < 3000; descriptors += 7) {
    const process = new Process(descriptors);
    const { readers } = process.budget;
    process.connect();
    const { open } = process;
    assert.ok(open >= 1 && open <= 2000, `${descriptors} descriptors: ${open} connections`);
    if (open > 1) {
      assert.ok(descriptors - open >= 10 * (1 + readers) + 16, `${descriptors}: something is left`);
    }
    if (descriptors > 300) assert.ok(open >= Math.min(2000, descriptors - 120), `${descriptors}: ${open}`);
    process.open = 0;
    process.connect();
    assert.equal(process.open, open, "the limit stays what it was found to be");
  }
});

Deno.test("the limit on connections is known once more than half of them are open", () => {
  for (let descriptors = 200; descriptors < 3000; descriptors += 13) {
    const process = new Process(descriptors);
    process.connect();
    const most = process.open;
    const other = new Process(descriptors);
    for (let open = 1; open <= most; open++) {
      other.connect(open);
      const known = other.budget.connectionsMax(open);
      if (known !== undefined || 2 * open > most) assert.equal(known, most, `${open} of ${most} are open`);
    }
  }
});

Deno.test("while few of many possible connections are open, the server does not count the limit", () => {
  const process = new Process(20_000);
  process.connect(49);
  const { counted } = process;
  assert.equal(process.budget.connectionsMax(49), undefined);
  assert.equal(process.counted, counted);
});

/** Reads this many pages at once, so that the server starts as many readers. */
async function startReaders(server: ServerProcess): Promise<void> {
  await Promise.all(Array.from({ length: 4 * READERS }, () => server.client().queryEvents()));
}

/** The readers that short reads start, except one. */
const MORE_READERS = navigator.hardwareConcurrency - 1;

Deno.test({
  name: "a server's workers take no more descriptors than are set aside for them",
  ignore: MORE_READERS === 0,
  fn: countReaderDescriptors,
});

async function countReaderDescriptors(): Promise<void> {
  await using alone = await startServer({ env: { SERVICE_READ_POOL_SIZE: "1" } });
  await using server = await startServer({ env: { SERVICE_READ_POOL_SIZE: String(1 + MORE_READERS) } });
  for (const each of [alone, server]) await each.client().append({ type: "t", payload: "" });
  await startReaders(alone);
  const withOneReader = openDescriptors(alone.pid);
  await eventually(async () => {
    await startReaders(server);
    const perReader = (openDescriptors(server.pid) - withOneReader) / MORE_READERS;
    assert.ok(perReader > 4 && perReader <= 10, `a reader takes ${perReader} descriptors`);
  });
}
