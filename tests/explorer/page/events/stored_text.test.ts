import assert from "node:assert/strict";
import { storedText } from "../../../../explorer/page/events/stored_text.ts";

const SUBJECTS = ["student", "customer"];

Deno.test("an event says for whom its payload is encrypted, or why it is not", () => {
  const identifiers = { student: "s1", customer: "c1" };
  const keys = [["student", "mL6W67Ty5wWIHso0"], ["customer", "x_6W67Ty5wWIHso0"]];
  const sealed = JSON.stringify({ payload: "", sealed: { keys, data: "" } });
  const encrypted =
    "The payload is encrypted for student (key mL6W67Ty5wWIHso0) and customer (key x_6W67Ty5wWIHso0).";
  assert.equal(storedText(sealed, { identifiers }, SUBJECTS), encrypted);
  assert.equal(
    storedText(sealed, { identifiers, forgotten: ["customer"] }, SUBJECTS),
    `${encrypted} The key of customer was destroyed.`,
  );
  assert.equal(
    storedText('{"payload":"p"}', { identifiers: { customer: "c1", course: "c" } }, SUBJECTS),
    "The payload is not encrypted: it was written before the server had customer as a subject. " +
      "Forgetting does not reach it.",
  );
  assert.equal(
    storedText('{"payload":"\\"sealed\\""}', { identifiers: { course: "c" } }, SUBJECTS),
    "The payload is not encrypted: the event has no subject (student, customer).",
  );
});
