import assert from "node:assert/strict";
import { assertRejected } from "../../support/replies.ts";
import { startServer } from "../../support/server_process.ts";
import { contractA } from "../contract/a.ts";
import { contractB } from "../contract/b.ts";
import { contractC } from "../contract/c.ts";
import { Subject } from "../contract/edition.ts";
import { about, Side } from "./side.ts";

/* The setting rejectEmails, in every way to write events. */

const ADDRESS = "ann@example.org";
const REASON = "looks like an e-mail address, which rejectEmails does not allow";

/** Events that are rejected, each with the item that the error names. */
const REJECTED: readonly (readonly [event: object, item: string])[] = [
  [{ identifiers: { student: ADDRESS } }, 'identifiers: a value of "student"'],
  [{ identifiers: { course: "c1", of: ["x", `Ann <${ADDRESS}>`] } }, 'identifiers: a value of "of"'],
  [{ metadata: { by: ADDRESS } }, 'metadata: a value of "by"'],
  [{ metadata: { by: ["x", ADDRESS] } }, 'metadata: a value of "by"'],
];

for (const edition of [contractA, contractB, contractC]) {
  Deno.test(`edition ${edition.name}: rejectEmails rejects new events with an address in a tag`, async () => {
    const env = {
      SERVICE_EDITION: edition.name,
      SERVICE_SUBJECTS: "student",
      SERVICE_REJECT_EMAILS: "true",
    };
    await using server = await startServer({ env });
    const subject = new Subject(edition, server.client());
    const { client } = subject;
    const side = new Side(edition.name, server);
    const first = { type: ADDRESS, identifiers: { student: "s1" }, payload: ADDRESS };
    await subject.append(first);
    for (const [event, item] of REJECTED) {
      // A body of this size is decoded in a worker.
      for (const payload of ["", "x".repeat(60_000)]) {
        const events = [{ ...first, payload }, { ...first, ...event, payload }];
        const message = `events[1]: ${item} ${REASON}`;
        const sent = await edition.sendEvents(client, JSON.stringify({ events }));
        assertRejected(sent, 400, "InvalidRequest", message);
        assertRejected(await side.forget("s1", { events }), 400, "InvalidRequest", message);
      }
    }
    assert.deepEqual(await subject.payloads(), [ADDRESS], "nothing was written or forgotten");
    const query = [{ identifiers: [{ name: "student", value: ADDRESS }] }];
    assert.deepEqual(await subject.payloads(query), [], "a query may have one");
  });
}

Deno.test("rejectEmails needs no subjects, and events from before stay as they are", async () => {
  await using before = await startServer();
  const old = about("old", { student: ADDRESS });
  await before.client().append(old);
  await before.stop();
  const env = { SERVICE_DATA_DIR: before.dataDir, SERVICE_REJECT_EMAILS: "true" };
  await using server = await startServer({ env });
  const reply = await server.client().write({ events: [old] });
  assertRejected(reply, 400, "InvalidRequest", `events[0]: ${REJECTED[0]![1]} ${REASON}`);
  const { events } = await server.client().queryEvents("*");
  assert.deepEqual(events.map(({ identifiers, payload }) => [identifiers, payload]), [
    [{ student: ADDRESS }, "old"],
  ]);
});
