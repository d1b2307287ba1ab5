/*
 * SCRAM-SHA-256 (RFC 5802 and 7677): each side proves that it knows the password, without sending it.
 */

const encoder = new TextEncoder();

/**
 * With fewer than RFC 7677 asks for, the proof would make the password easy to guess. More would take too long here.
 */
const ITERATIONS_MIN = 4096;
const ITERATIONS_MAX = 10_000_000;

/** The client side of the exchange, without channel binding. */
export class Scram {
  readonly #password: string;
  readonly #nonce: string;
  #serverSignature: string | undefined;

  /** @param nonce printable, without commas; for tests */
  constructor(password: string, nonce: string = randomNonce()) {
    this.#password = password.normalize("NFKC");
    this.#nonce = nonce;
  }

  /** True when the server's first message was answered. One exchange contains only one proof. */
  get isAnswered(): boolean {
    return this.#serverSignature !== undefined;
  }

  /** The first message of the client. PostgreSQL knows the user already. */
  get first(): string {
    return `n,,${this.#bareFirst}`;
  }

  /**
   * Answers the first message of the server.
   * @throws Error when that message does not belong to this exchange
   */
  async answer(serverFirst: string): Promise<string> {
    const { r: nonce = "", s: salt = "", i: count = "" } = attributesOf(serverFirst);
    const iterations = Number(count);
    if (!nonce.startsWith(this.#nonce) || nonce === this.#nonce) {
      throw new Error("an answer to another login");
    }
    if (!(iterations >= ITERATIONS_MIN && iterations <= ITERATIONS_MAX)) {
      throw new Error(`it asks for ${count} iterations`);
    }
    const salted = await saltedPassword(this.#password, Uint8Array.fromBase64(salt), iterations);
    const withoutProof = `c=biws,r=${nonce}`;
    const conversation = `${this.#bareFirst},${serverFirst},${withoutProof}`;
    const clientKey = await hmac(salted, "Client Key");
    const storedKey = new Uint8Array(await crypto.subtle.digest("SHA-256", clientKey));
    const signature = await hmac(storedKey, conversation);
    const proof = clientKey.map((byte, i) => byte ^ signature[i]!);
    this.#serverSignature = (await hmac(await hmac(salted, "Server Key"), conversation)).toBase64();
    return `${withoutProof},p=${proof.toBase64()}`;
  }

  /** True when the server has proven that it knows the password, too. */
  proves(serverFinal: string): boolean {
    return this.#serverSignature !== undefined && attributesOf(serverFinal)["v"] === this.#serverSignature;
  }

  get #bareFirst(): string {
    return `n=,r=${this.#nonce}`;
  }
}

function randomNonce(): string {
  return crypto.getRandomValues(new Uint8Array(18)).toBase64();
}

function attributesOf(message: string): Partial<Record<string, string>> {
  return Object.fromEntries(message.split(",").map((part) => [part.charAt(0), part.slice(2)]));
}

async function saltedPassword(
  password: string,
  salt: Uint8Array<ArrayBuffer>,
  iterations: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const key = await crypto.subtle.importKey("raw", encoder.encode(password), "PBKDF2", false, ["deriveBits"]);
  const how = { name: "PBKDF2", hash: "SHA-256", salt, iterations };
  return new Uint8Array(await crypto.subtle.deriveBits(how, key, 256));
}

async function hmac(key: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const how = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, how, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, encoder.encode(text)));
}
