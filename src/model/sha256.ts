/*
 * SHA-256 (FIPS 180-4) of texts in UTF-8. The platform's function takes longer for short texts, and loading it takes 5
 * MB and 30 ms in every thread.
 */

const BLOCK_BYTES = 64;
const BLOCK_WORDS = 16;
/** The padding of the last block needs at least a mark of one byte, and the message's length in eight bytes. */
const END_BYTES = 9;
const END_MARK = 0x80;
/** The maximum number of UTF-8 bytes for one unit of a string. */
const BYTES_PER_UNIT_MAX = 3;

/** Returns the first 32 fractional bits of the roots of the first primes: the standard's constants. */
function rootsOfPrimes(count: number, root: (prime: number) => number): Int32Array {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) {
    if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  }
  return Int32Array.from(primes, (prime) => (root(prime) % 1) * 2 ** 32);
}

const START = rootsOfPrimes(8, Math.sqrt);
const ROUNDS = rootsOfPrimes(64, Math.cbrt);

const encoder = new TextEncoder();

/** Memory for messages of the usual length. */
const shortMessage = new Uint8Array(8 * BLOCK_BYTES);
/** The words of a block. The words that the standard derives from them replace them. */
const words = new Int32Array(BLOCK_WORDS);
const digest = new Int32Array(8);

/** Returns the digest of a text as eight words of 32 bits, which the next call overwrites. @param text well-formed */
export function sha256(text: string): Int32Array {
  digest.set(START);
  if (putOnlyBlock(text)) {
    addBlock();
    return digest;
  }
  const message = padded(text);
  for (let start = 0; start < message.length; start += BLOCK_BYTES) {
    putBlock(message, start);
    addBlock();
  }
  return digest;
}

/** Makes a text the only block, without encoding it, if it is short ASCII, as nearly all texts are. */
function putOnlyBlock(text: string): boolean {
  const { length } = text;
  if (length + END_BYTES > BLOCK_BYTES) return false;
  let allUnits = 0;
  let word = 0;
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    allUnits |= unit;
    word = (word << 8) | unit;
    if (i % 4 === 3) words[i >> 2] = word;
  }
  if (allUnits > 0x7f) return false;
  const last = length >> 2;
  words[last] = ((word << 8) | END_MARK) << (8 * (3 - length % 4));
  for (let t = last + 1; t < BLOCK_WORDS - 1; t++) words[t] = 0;
  words[BLOCK_WORDS - 1] = length * 8;
  return true;
}

/** Returns the text with its padding, as whole blocks. */
function padded(text: string): Uint8Array {
  const bytesNeeded = text.length * BYTES_PER_UNIT_MAX + END_BYTES + BLOCK_BYTES;
  const memory = bytesNeeded <= shortMessage.length ? shortMessage : new Uint8Array(bytesNeeded);
  const { written } = encoder.encodeInto(text, memory);
  const message = memory.subarray(0, Math.ceil((written + END_BYTES) / BLOCK_BYTES) * BLOCK_BYTES);
  message.fill(0, written);
  message[written] = END_MARK;
  let end = message.length;
  for (let bits = written * 8; bits > 0; bits = Math.floor(bits / 256)) message[--end] = bits;
  return message;
}

function putBlock(message: Uint8Array, start: number): void {
  for (let t = 0; t < BLOCK_WORDS; t++) {
    const i = start + 4 * t;
    words[t] = (message[i]! << 24) | (message[i + 1]! << 16) | (message[i + 2]! << 8) | message[i + 3]!;
  }
}

/** Section 6.2.2 of the standard, with its names of the variables. Only the last sixteen words of W_t are stored. */
function addBlock(): void {
  let [a, b, c, d] = [digest[0]!, digest[1]!, digest[2]!, digest[3]!];
  let [e, f, g, h] = [digest[4]!, digest[5]!, digest[6]!, digest[7]!];
  for (let t = 0; t < 64; t++) {
    if (t >= BLOCK_WORDS) {
      const w2 = words[(t - 2) % 16]!;
      const w15 = words[(t - 15) % 16]!;
      const sigma1 = ((w2 >>> 17) | (w2 << 15)) ^ ((w2 >>> 19) | (w2 << 13)) ^ (w2 >>> 10);
      const sigma0 = ((w15 >>> 7) | (w15 << 25)) ^ ((w15 >>> 18) | (w15 << 14)) ^ (w15 >>> 3);
      words[t % 16]! += sigma1 + words[(t - 7) % 16]! + sigma0;
    }
    const sum1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const ch = (e & f) ^ (~e & g);
    const t1 = (h + sum1 + ch + ROUNDS[t]! + words[t % 16]!) | 0;
    const sum0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const maj = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + sum0 + maj) | 0;
  }
  digest[0]! += a;
  digest[1]! += b;
  digest[2]! += c;
  digest[3]! += d;
  digest[4]! += e;
  digest[5]! += f;
  digest[6]! += g;
  digest[7]! += h;
}
