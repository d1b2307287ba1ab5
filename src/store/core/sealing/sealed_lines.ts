import { PAYLOAD } from "../../../wire/event.ts";
import { decodeSealed, forgottenEnd, SEALED, type SealedPayload } from "../../../wire/sealed_event.ts";
import { textBytes } from "../../../workers/short_bytes.ts";
import { decrypt, payloadKey } from "./payload_cipher.ts";

/** Bytes of a key by its ID. Without an entry, the key is gone. */
export type KeysById = ReadonlyMap<string, Uint8Array>;

interface SealedLine {
  readonly sealed: SealedPayload;
  /** The index of the payload's value, and the index behind `sealed`, in the text of all lines. */
  readonly start: number;
  readonly end: number;
}

/** Lines of events as they are stored, some of them with encrypted payloads. */
export class SealedLines {
  readonly #text: string;
  readonly #sealed: SealedLine[] = [];

  constructor(lines: Uint8Array) {
    const text = this.#text = decoder.decode(lines);
    for (let at = text.indexOf(SEALED); at !== -1; at = text.indexOf(SEALED, at)) {
      const end = text.indexOf("}\n", at);
      const sealed = decodeSealed(JSON.parse(text.slice(at + SEALED.length, end)));
      this.#sealed.push({ sealed, start: at + PAYLOAD.length, end });
      at = end;
    }
  }

  /** The IDs of all keys that are needed, each once. Empty when no payload is encrypted. */
  get keyIds(): readonly string[] {
    return [...new Set(this.#sealed.flatMap(({ sealed }) => sealed.keys.map(([, id]) => id)))];
  }

  /**
   * Returns the lines with their payloads. Without one of its keys, a payload is empty, and `forgotten` names the
   * subjects of those keys.
   * @throws Error that names the event whose payload is damaged
   */
  opened(keys: KeysById): Uint8Array<ArrayBuffer> {
    let text = "";
    let from = 0;
    for (const { sealed, start, end } of this.#sealed) {
      text += this.#text.slice(from, start) + this.#payload(sealed, start, keys);
      from = end;
    }
    return textBytes(text + this.#text.slice(from));
  }

  #payload({ keys: ids, data }: SealedPayload, start: number, keys: KeysById): string {
    const found = ids.flatMap(([, id]) => keys.get(id) ?? []);
    if (found.length < ids.length) {
      const gone = ids.filter(([, id]) => !keys.has(id)).map(([name]) => name);
      return forgottenEnd([...new Set(gone)]);
    }
    const line = this.#text.lastIndexOf("\n", start) + 1;
    // The line without its sequence, up to the payload: what `sealEvent` bound the payload to.
    const about = this.#text.slice(this.#text.indexOf(",", line) + 1, start - PAYLOAD.length + 1);
    try {
      return decrypt(payloadKey(found), data, about);
    } catch {
      const sequence = /[0-9]+/.exec(this.#text.slice(line, line + 40))?.[0];
      throw new Error(`the encrypted payload of event ${sequence} is damaged`);
    }
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
