import assert from "node:assert/strict";
import { createHash, createHmac, pbkdf2Sync } from "node:crypto";
import { Scram } from "../../../../src/store/postgres/protocol/scram.ts";

const SALT = "c2FsdCBvZiBhIHRlc3Q=";
const NONCE = "rOprNGfwEbeRWgbNEkqO";
const SERVER_FIRST = `r=${NONCE}%hvYDpWUa2RaTCAfuxFIlj,s=${SALT},i=4096`;

/** The answers of both sides according to RFC 5802, by another implementation of its functions. */
function expected(password: string): { proof: string; signature: string } {
  const hmac = (key: Uint8Array, text: string): Uint8Array => createHmac("sha256", key).update(text).digest();
  const salted = pbkdf2Sync(password, Uint8Array.fromBase64(SALT), 4096, 32, "sha256");
  const nonce = SERVER_FIRST.split(",")[0];
  const message = `n=,r=${NONCE},${SERVER_FIRST},c=biws,${nonce}`;
  const clientKey = hmac(salted, "Client Key");
  const signature = hmac(createHash("sha256").update(clientKey).digest(), message);
  const proof = clientKey.map((byte, i) => byte ^ signature[i]!);
  return { proof: proof.toBase64(), signature: hmac(hmac(salted, "Server Key"), message).toBase64() };
}

Deno.test("both sides prove that they know the password", async () => {
  for (const password of ["pencil", "", "s3cr\u00e9t %:/@,="]) {
    const scram = new Scram(password, NONCE);
    assert.equal(scram.first, `n,,n=,r=${NONCE}`);
    const { proof, signature } = expected(password);
    assert.equal(
      await scram.answer(SERVER_FIRST),
      `c=biws,r=${NONCE}%hvYDpWUa2RaTCAfuxFIlj,p=${proof}`,
    );
    assert.equal(scram.proves(`v=${signature}`), true);
    assert.equal(scram.proves(`v=${proof}`), false);
    assert.equal(scram.proves("e=other-error"), false);
  }
});

Deno.test("a server's proof before the client's request is rejected", () => {
  assert.equal(new Scram("pencil").proves("v=undefined"), false);
});

Deno.test("an answer to another conversation, or one that is too easy or too hard, is rejected", async () => {
  const others = [
    SERVER_FIRST.replace(NONCE, "another"),
    SERVER_FIRST.replace("%hvYDpWUa2RaTCAfuxFIlj", ""),
    SERVER_FIRST.replace("4096", "1"),
    SERVER_FIRST.replace("4096", "4095"),
    SERVER_FIRST.replace("4096", "99999999999"),
    SERVER_FIRST.replace("4096", "many"),
    "nothing of the kind",
  ];
  for (const other of others) await assert.rejects(new Scram("pencil", NONCE).answer(other), Error, other);
});

Deno.test("nonces differ", () => {
  assert.notEqual(new Scram("pencil").first, new Scram("pencil").first);
});
