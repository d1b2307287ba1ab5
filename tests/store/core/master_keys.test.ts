import assert from "node:assert/strict";
import { MasterKeys, NO_MASTER_KEYS, STORED_BYTES } from "../../../src/store/core/sealing/master_keys.ts";
import { newSubjectKey } from "../../../src/store/core/sealing/subject_key.ts";

/* The known answer was computed with the package cryptography of Python. */

const MASTER = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const MASTER_ID = "630dcd2966c43366";
const KEY = { id: "4-FngL7PYB1V5HUe", bytes: Uint8Array.from({ length: 32 }, (_, i) => 100 + i) };
const STORED = Uint8Array.fromHex(
  `${MASTER_ID}c8c9cacbcccdcecfd0d1d2d3` +
    "751d07bceea5914b185171d16e77996794f29adf7c12d25f91d4459e5a10296a4bca8db5c8107085541ffc36c1c092c8",
);
const OTHER = new Uint8Array(32).fill(7).toBase64();

Deno.test("a wrapped key is unwrapped by the master key whose ID it has", () => {
  for (const masters of [new MasterKeys([MASTER]), new MasterKeys([OTHER, MASTER])]) {
    assert.deepEqual([...masters.unwrapped(KEY.id, STORED)], [...KEY.bytes]);
  }
  const masters = new MasterKeys([MASTER, OTHER]);
  assert.equal(masters.first, MASTER_ID);
  for (let i = 0; i < 20; i++) {
    const key = newSubjectKey();
    const stored = masters.wrapped(key);
    assert.equal(stored.length, STORED_BYTES);
    assert.deepEqual([...masters.unwrapped(key.id, stored)], [...key.bytes]);
    assert.notDeepEqual(masters.wrapped(key), stored, "each has a nonce of its own");
  }
});

Deno.test("a key that was changed in one bit, or is another one's, is not unwrapped", () => {
  const masters = new MasterKeys([MASTER]);
  for (let bit = 0; bit < 8 * STORED_BYTES; bit++) {
    const changed = STORED.slice();
    changed[bit >> 3]! ^= 1 << (bit & 7);
    const expected = bit < 64
      ? /which neither masterKeyFile nor masterKey has$/
      : /^Error: the key .* is damaged$/;
    assert.throws(() => masters.unwrapped(KEY.id, changed), expected, `bit ${bit}`);
  }
  assert.throws(
    () => masters.unwrapped("4-FngL7PYB1V5HUf", STORED),
    /the key 4-FngL7PYB1V5HUf .* is damaged/,
  );
  assert.throws(() => masters.unwrapped(KEY.id, STORED.subarray(1)), /is damaged/);
});

Deno.test("without a master key, keys are stored as they are, in the same size", () => {
  const stored = NO_MASTER_KEYS.wrapped(KEY);
  assert.equal(stored.toHex(), `${"00".repeat(20)}${KEY.bytes.toHex()}${"00".repeat(16)}`);
  assert.deepEqual([...new MasterKeys([MASTER]).unwrapped(KEY.id, stored)], [...KEY.bytes]);
  assert.equal(NO_MASTER_KEYS.rewrapped(KEY.id, stored), undefined);
});

Deno.test("a key is wrapped anew if another master key is the first", () => {
  assert.equal(new MasterKeys([MASTER, OTHER]).rewrapped(KEY.id, STORED), undefined);
  const masters = new MasterKeys([OTHER, MASTER]);
  for (const former of [STORED, NO_MASTER_KEYS.wrapped(KEY)]) {
    const stored = masters.rewrapped(KEY.id, former)!;
    assert.deepEqual([...new MasterKeys([OTHER]).unwrapped(KEY.id, stored)], [...KEY.bytes]);
  }
});

Deno.test("the master keys that are missing are named by their IDs", () => {
  const zeros = "0".repeat(16);
  assert.equal(NO_MASTER_KEYS.lacking([zeros]), undefined);
  assert.equal(new MasterKeys([OTHER, MASTER]).lacking([MASTER_ID, zeros]), undefined);
  const expected = `keys of its subjects are wrapped with the master key ${MASTER_ID}, ` +
    "which neither masterKeyFile nor masterKey has";
  for (const masters of [NO_MASTER_KEYS, new MasterKeys([OTHER])]) {
    assert.equal(masters.lacking([zeros, MASTER_ID]), expected);
  }
});
