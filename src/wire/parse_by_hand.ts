import { type JsonPath, repeatedKey } from "./json_faults.ts";

/**
 * Parses a JSON text that the native parser has accepted, for the cases in which its result is wrong for us:
 * - It keeps the last of two equal keys. Here the second is rejected, with an error that names the item.
 * - It can read a key written with an escape as another key that it has seen before in the same place: `"\n"` as
 *   `"\\"` (nodejs/node issue 63785). Here a key is read as written.
 * - The integers just below 2^63 are legal, 2^63 is not, and as JavaScript numbers they are the same. Here a legal one
 *   becomes the number before 2^63.
 * @param path the keys and indexes on the way to the text in a larger one
 * @throws ApiError InvalidRequest
 */
export function parseByHand(text: string, path: JsonPath = []): unknown {
  return new Cursor(text, path).value();
}

class Cursor {
  readonly #text: string;
  readonly #path: (string | number)[];
  #at = 0;

  constructor(text: string, path: JsonPath) {
    this.#text = text;
    this.#path = [...path];
  }

  value(): unknown {
    switch (this.#next()) {
      case "{":
        return this.#object();
      case "[":
        return this.#array();
      case '"':
        return this.#string();
      default:
        return this.#literal();
    }
  }

  /** Skips whitespace and separators, and returns the next character. The native parser has checked their order. */
  #next(): string | undefined {
    let unit = this.#text[this.#at];
    while (unit !== undefined && " \t\r\n,:".includes(unit)) unit = this.#text[++this.#at];
    return unit;
  }

  #object(): unknown {
    const members = new Map<string, unknown>();
    this.#at++;
    while (this.#next() !== "}") {
      const key = this.#string();
      if (members.has(key)) throw repeatedKey(key, this.#path);
      this.#path.push(key);
      members.set(key, this.value());
      this.#path.pop();
    }
    this.#at++;
    return Object.fromEntries(members);
  }

  #array(): unknown[] {
    const elements: unknown[] = [];
    this.#at++;
    while (this.#next() !== "]") {
      this.#path.push(elements.length);
      elements.push(this.value());
      this.#path.pop();
    }
    this.#at++;
    return elements;
  }

  #string(): string {
    const start = this.#at++;
    while (this.#text[this.#at] !== '"') this.#at += this.#text[this.#at] === "\\" ? 2 : 1;
    const literal = this.#text.slice(start, ++this.#at);
    return literal.includes("\\") ? JSON.parse(literal) as string : literal.slice(1, -1);
  }

  #literal(): unknown {
    const start = this.#at;
    let unit = this.#text[this.#at];
    while (unit !== undefined && !" \t\r\n,]}".includes(unit)) unit = this.#text[++this.#at];
    const literal = this.#text.slice(start, this.#at);
    const value: unknown = JSON.parse(literal);
    return value === 2 ** 63 && isIntegerBelowTwoTo63(literal) ? 2 ** 63 - 1024 : value;
  }
}

/**
 * True for a legal literal that JavaScript rounds to 2^63. Whatever its exponent, it has 19 digits before the point.
 */
function isIntegerBelowTwoTo63(literal: string): boolean {
  const digits = literal.replace(/e.*/i, "").replace(".", "").replace(/^0+/, "");
  return digits.slice(0, 19).padEnd(19, "0") < "9223372036854775808" && /^0*$/.test(digits.slice(19));
}
