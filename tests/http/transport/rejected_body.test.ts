import assert from "node:assert/strict";
import { BodyTooLarge } from "../../../src/http/exchange.ts";
import { Connection } from "../../support/connection.ts";
import { KINDS, listening } from "./support/listening.ts";
import { textBody } from "./support/requests.ts";

const BODY_BYTES = 12 * 1024 * 1024;
const ROUNDS = 10;

for (const kind of KINDS) {
  Deno.test(`${kind}: a client that sends all of a rejected body before it reads still gets the answer`, async () => {
    await using server = listening(kind, async (request) => {
      try {
        await request.body(1024);
        return textBody(200, "taken");
      } catch (error) {
        assert.ok(error instanceof BodyTooLarge);
        return textBody(413, "too large");
      }
    });
    const head = `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${BODY_BYTES}\r\n\r\n`;
    for (let round = 0; round < ROUNDS; round++) {
      using connection = await Connection.open(server.address);
      await connection.send(head);
      await connection.send(new Uint8Array(BODY_BYTES));
      assert.equal((await connection.readReply("POST")).status, 413, `round ${round}`);
    }
  });
}
