import { pause } from "../../support/eventually.ts";
import { assertNoContent } from "../../support/replies.ts";
import { begin, event, startEditionB, txLines } from "./client.ts";

Deno.test("a call that arrived in time is not too late because the process was stopped", async () => {
  await using server = await startEditionB({ SERVICE_TX_IDLE_TIMEOUT: "1" });
  const transaction = await begin(server.client());
  for (let round = 0; round < 3; round++) {
    server.signal("SIGSTOP");
    const reply = transaction.read("none");
    await pause(1500);
    server.signal("SIGCONT");
    txLines(await reply);
    await transaction.write(event("t"));
  }
  assertNoContent(await transaction.commit());
});
