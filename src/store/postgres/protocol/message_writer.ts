/*
 * Messages to PostgreSQL: a letter, the length of the rest in four bytes, and the rest. Integers are big-endian.
 * Texts are UTF-8 and end with a NUL.
 */

/** A value of a statement: a text in the form in which PostgreSQL reads it, or the bytes of a `bytea`. */
export type Param = string | Uint8Array | null;

const encoder = new TextEncoder();

/** UTF-8 bytes for one unit of a string. */
const BYTES_PER_UNIT_MAX = 3;

/** A larger buffer, which a large group needed, is released after use. */
const BUFFER_BYTES_MAX = 256 * 1024;

const PROTOCOL_3_0 = 196_608;

/** Messages that are sent together. */
export class MessageWriter {
  #bytes = new Uint8Array(4096);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  /** Returns the bytes written so far, and begins again. */
  take(): Uint8Array<ArrayBuffer> {
    const isLarge = this.#length > BUFFER_BYTES_MAX;
    const taken = isLarge ? this.#bytes.subarray(0, this.#length) : this.#bytes.slice(0, this.#length);
    this.#length = 0;
    if (this.#bytes.length > BUFFER_BYTES_MAX) this.#use(new Uint8Array(4096));
    return taken;
  }

  startup(parameters: Readonly<Record<string, string>>): void {
    this.#sized(() => {
      this.#int32(PROTOCOL_3_0);
      for (const [name, value] of Object.entries(parameters)) {
        this.#text(name);
        this.#text(value);
      }
      this.#int8(0);
    });
  }

  password(password: string): void {
    this.#message("p", () => this.#text(password));
  }

  saslInitial(mechanism: string, response: string): void {
    this.#message("p", () => {
      this.#text(mechanism);
      this.#sizedText(response);
    });
  }

  saslResponse(response: string): void {
    this.#message("p", () => this.#put(response));
  }

  parse(name: string, sql: string): void {
    this.#message("P", () => {
      this.#text(name);
      this.#text(sql);
      this.#int16(0);
    });
  }

  /** Binds a prepared statement and executes it. Its rows have binary form. */
  execute(name: string, params: readonly Param[]): void {
    this.#message("B", () => {
      this.#text("");
      this.#text(name);
      this.#int16(params.length);
      for (const param of params) this.#int16(param instanceof Uint8Array ? 1 : 0);
      this.#int16(params.length);
      for (const param of params) this.#param(param);
      this.#int16(1);
      this.#int16(1);
    });
    this.#message("E", () => {
      this.#text("");
      this.#int32(0);
    });
  }

  sync(): void {
    this.#message("S", () => {});
  }

  terminate(): void {
    this.#message("X", () => {});
  }

  #param(param: Param): void {
    if (param === null) return this.#int32(-1);
    if (typeof param === "string") return this.#sizedText(param);
    this.#int32(param.length);
    this.#grow(param.length);
    this.#bytes.set(param, this.#length);
    this.#length += param.length;
  }

  #message(letter: string, write: () => void): void {
    this.#int8(letter.charCodeAt(0));
    this.#sized(write);
  }

  /** The length includes its own bytes. */
  #sized(write: () => void): void {
    const start = this.#length;
    this.#int32(0);
    write();
    this.#view.setInt32(start, this.#length - start);
  }

  #sizedText(text: string): void {
    const start = this.#length;
    this.#int32(0);
    this.#put(text);
    this.#view.setInt32(start, this.#length - start - 4);
  }

  #text(text: string): void {
    if (text.includes("\0")) throw new Error("a text for PostgreSQL must not contain NUL");
    this.#put(text);
    this.#int8(0);
  }

  #put(text: string): void {
    this.#grow(BYTES_PER_UNIT_MAX * text.length);
    this.#length += encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written;
  }

  #int8(value: number): void {
    this.#grow(1);
    this.#view.setInt8(this.#length, value);
    this.#length += 1;
  }

  #int16(value: number): void {
    this.#grow(2);
    this.#view.setInt16(this.#length, value);
    this.#length += 2;
  }

  #int32(value: number): void {
    this.#grow(4);
    this.#view.setInt32(this.#length, value);
    this.#length += 4;
  }

  #grow(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + more));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#use(larger);
  }

  #use(bytes: Uint8Array<ArrayBuffer>): void {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }
}
