import assert from "node:assert/strict";
import { Balancer } from "../../audit/chain/balancer.ts";
import { HTTP_FAULTS, PROXY_HEADER } from "../../audit/chain/http_faults.ts";
import { Random } from "../../audit/workload/random.ts";
import type { Address } from "../../src/model/address.ts";

const REQUESTS = 120;
const BODY = "a body of some length, so that it can be cut within\n".repeat(20);

/** A server that counts its requests, and gives this answer. */
function startUpstream(
  status = 200,
): { address: Address; asked: string[]; server: Deno.HttpServer<Deno.NetAddr> } {
  const asked: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    asked.push(await request.text());
    return new Response(BODY, { status });
  });
  return { address: { transport: "tcp", hostname: "127.0.0.1", port: server.addr.port }, asked, server };
}

/** Returns the client's result: the status, the source of the answer, or the error. */
async function ask(url: string, body: string): Promise<string> {
  try {
    const reply = await fetch(url, { method: "POST", body });
    const text = await reply.text();
    if (reply.headers.has(PROXY_HEADER)) return "words";
    assert.equal(text, BODY);
    return String(reply.status);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return "no answer";
  }
}

Deno.test("the proxy of the chain injects exactly the faults that it counts", async () => {
  const { address, asked, server } = startUpstream();
  await using balancer = new Balancer({
    servers: () => [address],
    balancing: "any",
    faultRate: 0.8,
    random: new Random(1),
  });
  const answers: string[] = [];
  for (let i = 0; i < REQUESTS; i++) answers.push(await ask(balancer.url, String(i)));
  await server.shutdown();
  const { answerLost, cutBefore, cutWithin, wordsInstead, wordsAfter } = balancer.faults;
  for (const fault of HTTP_FAULTS) assert.ok(balancer.faults[fault] > 5, fault);
  assert.equal(asked.length, REQUESTS - cutBefore - wordsInstead);
  const count = (wanted: string): number => answers.filter((answer) => answer === wanted).length;
  assert.equal(count("words"), wordsInstead + wordsAfter);
  assert.equal(count("no answer"), answerLost + cutBefore + cutWithin);
  assert.equal(count("200"), REQUESTS - wordsInstead - wordsAfter - answerLost - cutBefore - cutWithin);
});

Deno.test("the proxy of the chain uses another server when one does not serve or is not running", async () => {
  const first = startUpstream(503);
  const second = startUpstream();
  const gone: Address = { transport: "unix", path: "/nonexistent/server.sock" };
  const options = { faultRate: 0, random: new Random(2) };
  const servers = (): Address[] => [gone, first.address, second.address];
  {
    await using sticky = new Balancer({ ...options, servers, balancing: "sticky" });
    assert.deepEqual([await ask(sticky.url, "a"), await ask(sticky.url, "b"), await ask(sticky.url, "c")], [
      ...["503", "200", "200"],
    ]);
    await using healthy = new Balancer({ ...options, servers, balancing: "health" });
    assert.equal(await ask(healthy.url, "d"), "200");
    await using empty = new Balancer({ ...options, servers: () => [gone], balancing: "any" });
    assert.equal(await ask(empty.url, "e"), "words");
  }
  assert.deepEqual(second.asked.filter((text) => text !== ""), ["b", "c", "d"]);
  await Promise.all([first.server.shutdown(), second.server.shutdown()]);
});
