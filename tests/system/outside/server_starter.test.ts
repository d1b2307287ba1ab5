import assert from "node:assert/strict";
import { ServerStarter } from "./server_starter.ts";

/** Sends a request to the starter, which must accept it. @returns its answer */
async function ask(method: string, url: string): Promise<string> {
  const response = await fetch(url, { method });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text;
}

async function headOf(server: string): Promise<number> {
  const page = await fetch(`${server}/events`, { method: "QUERY", body: '{"query": "*"}' });
  assert.match(await page.text(), /^\{"hasMore":false\}$/m);
  return Number(page.headers.get("x-service-head"));
}

const write = (server: string, events: number): Promise<Response> =>
  fetch(`${server}/write`, {
    method: "POST",
    body: JSON.stringify({ events: Array(events).fill({ type: "t", payload: "" }) }),
  });

Deno.test("each server has a store of its own, which a restart keeps, and ends with the starter at the latest", async () => {
  const starter = new ServerStarter({ SERVICE_MAX_EVENTS_PER_WRITE: "2" });
  const [first, second] = [await ask("POST", starter.url), await ask("POST", starter.url)];
  const pathOf = (server: string): string => `${starter.url}/${new URL(server).port}`;
  try {
    assert.equal((await (await write(first, 2)).json()).events.length, 2);
    const over = await write(second, 3);
    assert.equal(over.status, 400);
    assert.match(await over.text(), /maxEventsPerWrite \(2\)/);
    await ask("POST", pathOf(first));
    assert.deepEqual([await headOf(first), await headOf(second)], [2, 0]);
    await ask("DELETE", pathOf(first));
    await assert.rejects(headOf(first), TypeError);
    const gone = await fetch(pathOf(first), { method: "POST" });
    assert.equal(gone.status, 500);
    assert.match(await gone.text(), /no server was started on port \d+/);
  } finally {
    await starter[Symbol.asyncDispose]();
  }
  await assert.rejects(headOf(second), TypeError);
});
