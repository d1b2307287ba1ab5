/*
 * Decodes the statements of a PostgreSQL client from the bytes that it sends. A message is a letter, the length of the
 * rest in four bytes, and the rest. A statement is parsed once, with its text, and bound by its name from then on.
 */

const PARSE = "P".charCodeAt(0);
const BIND = "B".charCodeAt(0);
const NUL = 0;

const decoder = new TextDecoder("latin1");

/** The statements of one connection. */
export class StatementNames {
  readonly #texts = new Map<string, string>();
  /** The received part of an incomplete message. */
  #rest = new Uint8Array(0);
  /** The first message of a connection has no letter. */
  #hasBegun = false;

  /** @returns the texts of the statements that these bytes execute, in order */
  statementsIn(bytes: Uint8Array): string[] {
    const all = new Uint8Array(this.#rest.length + bytes.length);
    all.set(this.#rest);
    all.set(bytes, this.#rest.length);
    const asked: string[] = [];
    let at = 0;
    for (;;) {
      const letter = this.#hasBegun ? 1 : 0;
      if (all.length < at + letter + 4) break;
      const end = at + letter + new DataView(all.buffer).getUint32(at + letter);
      if (all.length < end) break;
      if (this.#hasBegun) this.#take(all[at]!, all.subarray(at + 5, end), asked);
      this.#hasBegun = true;
      at = end;
    }
    this.#rest = all.slice(at);
    return asked;
  }

  #take(kind: number, body: Uint8Array, asked: string[]): void {
    if (kind !== PARSE && kind !== BIND) return;
    const [first, second] = textsIn(body);
    if (kind === PARSE) this.#texts.set(first, second);
    else asked.push(this.#texts.get(second) ?? "");
  }
}

/** The two texts at the start of both messages: name and SQL, or portal and name. */
function textsIn(body: Uint8Array): [string, string] {
  const middle = body.indexOf(NUL);
  const end = body.indexOf(NUL, middle + 1);
  return [decoder.decode(body.subarray(0, middle)), decoder.decode(body.subarray(middle + 1, end))];
}
