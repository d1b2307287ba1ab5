import assert from "node:assert/strict";
import type { Tag } from "../../../src/model/tag.ts";
import { formatTimestamp } from "../../../src/model/timestamp.ts";
import { sealEvent } from "../../../src/store/core/sealing/seal_event.ts";
import { newSubjectKey, type SubjectKey } from "../../../src/store/core/sealing/subject_key.ts";
import { newEvent, prepared, tag } from "../made_writes.ts";

/* The form of a stored payload in docs/privacy.md, read with another implementation of its cryptography. */

const NAMES = new Set(["student", "customer"]);
const encoder = new TextEncoder();

async function keyOf(keys: readonly Uint8Array[]): Promise<CryptoKey> {
  const all = new Uint8Array(keys.flatMap((key) => [...key]));
  if (keys.length === 1) return await crypto.subtle.importKey("raw", all, "AES-GCM", false, ["decrypt"]);
  const secret = await crypto.subtle.importKey("raw", all, "HKDF", false, ["deriveKey"]);
  const info = encoder.encode("eventstore payload of several subjects");
  const how = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
  return await crypto.subtle.deriveKey(how, secret, { name: "AES-GCM", length: 256 }, false, ["decrypt"]);
}

/** Decrypts a stored line. */
async function payloadOf(line: string, keys: readonly Uint8Array[]): Promise<string> {
  const bytes = Uint8Array.fromBase64(JSON.parse(line).sealed.data);
  const additionalData = encoder.encode(line.slice(line.indexOf('"time"'), line.indexOf(',"payload"')));
  const how = { name: "AES-GCM", iv: bytes.subarray(0, 12), additionalData };
  return new TextDecoder().decode(await crypto.subtle.decrypt(how, await keyOf(keys), bytes.subarray(12)));
}

Deno.test("a stored payload has the form that docs/privacy.md describes, and a nonce of its own", async () => {
  const made = new Map<string, SubjectKey>();
  const ofSubject = ({ name, value }: Tag): SubjectKey =>
    made.getOrInsertComputed(`${name} ${value}`, newSubjectKey);
  const nonces = new Set<string>();
  const payload = '\u00e4 "text"';
  for (
    const subjects of [
      [tag("student", "s1")],
      [tag("customer", "k1"), tag("student", "s1"), tag("student", "s2")],
    ]
  ) {
    const event = prepared(newEvent("t", [...subjects, tag("zone", "z1")], payload));
    for (let i = 0; i < 2; i++) {
      const { timeMicros, body } = sealEvent(event, NAMES, ofSubject);
      const line = `{"sequence":17,"time":"${formatTimestamp(timeMicros)}",${body}}`;
      const keys = subjects.map((subject) => ofSubject(subject));
      const { sealed } = JSON.parse(line);
      assert.deepEqual(sealed.keys, subjects.map(({ name }, i) => [name, keys[i]!.id]));
      assert.equal(await payloadOf(line, keys.map(({ bytes }) => bytes)), JSON.stringify(payload));
      await assert.rejects(payloadOf(line.replace('"t"', '"u"'), keys.map(({ bytes }) => bytes)));
      nonces.add(sealed.data.slice(0, 16));
    }
  }
  assert.equal(nonces.size, 4);
});
