import { type AnswerHead, type AnswerReader, CutShort } from "./answer_reader.ts";

/** Reads the body of an answer in pieces. */
export class AnswerBody {
  readonly #answers: AnswerReader;
  readonly #isChunked: boolean;
  readonly #headers: AnswerHead["headers"];
  #isInChunk = false;
  /** The bytes left of the body or chunk; `Infinity` when the body ends with the connection. */
  #left: number;
  #isComplete = false;

  /** @param method of the request; only HEAD makes a difference */
  constructor(answers: AnswerReader, { status, headers }: AnswerHead, method?: string) {
    this.#answers = answers;
    this.#headers = headers;
    const isWithout = method === "HEAD" || status === 204 || status === 304;
    this.#isChunked = !isWithout && /\bchunked$/i.test(headers.get("transfer-encoding") ?? "");
    const length = headers.get("content-length");
    if (isWithout || this.#isChunked) this.#left = 0;
    else this.#left = length === undefined ? Infinity : lengthOf(length, 10);
  }

  /**
   * Reads the next piece; undefined after the last one.
   * @throws CutShort when the connection ends before the body does
   */
  async next(): Promise<Uint8Array | undefined> {
    if (this.#left === 0 && this.#isChunked) await this.#nextChunk();
    if (this.#left === 0) {
      this.#isComplete = true;
      return undefined;
    }
    const piece = await this.#answers.some(this.#left);
    if (piece !== undefined) this.#left -= piece.length;
    else if (this.#left !== Infinity) throw new CutShort();
    return piece;
  }

  /** Reads all pieces. Each stays unchanged until the next one is requested. Throws like `next`. */
  async *pieces(): AsyncGenerator<Uint8Array, void> {
    for (let piece; (piece = await this.next()) !== undefined;) {
      yield piece;
      this.#answers.forget();
    }
  }

  /** True after the whole body, if the connection can carry another request: no byte is left on it. */
  get keepsConnection(): boolean {
    return this.#isComplete && this.#answers.isDrained &&
      !/\bclose\b/i.test(this.#headers.get("connection") ?? "");
  }

  async #nextChunk(): Promise<void> {
    if (this.#isInChunk && await this.#answers.line() !== "") {
      throw new Error("it sent a chunk that is longer than declared");
    }
    this.#isInChunk = true;
    const sizeLine = await this.#answers.line();
    this.#left = lengthOf(sizeLine.split(";")[0]!.trim(), 16);
    if (this.#left === 0) await this.#answers.fields("trailer");
  }
}

function lengthOf(text: string, radix: 10 | 16): number {
  const isNumber = (radix === 10 ? /^[0-9]{1,15}$/ : /^[0-9a-f]{1,12}$/i).test(text);
  if (!isNumber) {
    throw new Error(`it does not speak HTTP: ${JSON.stringify(text.slice(0, 60))} is not a length`);
  }
  return parseInt(text, radix);
}
