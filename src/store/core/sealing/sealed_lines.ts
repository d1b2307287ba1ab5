import { forgottenEnd, SEALED } from "../../../wire/sealed_event.ts";
import { PAYLOAD } from "../../../wire/event.ts";
import { decrypt, payloadKey } from "./payload_cipher.ts";
import { textOfBytes } from "./platform_crypto.ts";

/** Bytes of a key by its ID. Without an entry, the key is gone. */
export type KeysById = ReadonlyMap<string, Uint8Array>;

/** An encrypted payload in the bytes of all lines. */
interface SealedPlace {
  /** The start of its line, the start of the value of `payload`, and the end of the line before its brace. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** The start of the list of keys, and its end. */
  readonly keysStart: number;
  readonly keysEnd: number;
  readonly keyIds: readonly string[];
  /** In Base64. */
  readonly data: string;
}

const KEYS = '{"keys":';
const DATA = ',"data":"';
const END = '"}}\n';

/**
 * Lines of events as they are stored, some of them with encrypted payloads. They are searched as text with a unit for
 * each byte, so that nothing but payloads is decoded.
 */
export class SealedLines {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #sealed: readonly SealedPlace[];

  /** @param lines whole lines, which `opened` changes */
  constructor(lines: Uint8Array<ArrayBuffer>) {
    this.#bytes = lines;
    this.#sealed = placesIn(textOfBytes(lines));
  }

  /** The IDs of all keys that are needed, each once. Empty when no payload is encrypted. */
  get keyIds(): readonly string[] {
    const ids = new Set<string>();
    for (const { keyIds } of this.#sealed) for (const id of keyIds) ids.add(id);
    return [...ids];
  }

  /**
   * Returns the lines with their payloads. Without one of its keys, a payload is empty, and `forgotten` names the
   * subjects of those keys. The result is in the same memory, since every line becomes shorter.
   * @throws Error that names the event whose payload is damaged
   */
  opened(keys: KeysById): Uint8Array<ArrayBuffer> {
    const bytes = this.#bytes;
    let [from, to] = [0, 0];
    for (const place of this.#sealed) {
      const payload = this.#payload(place, keys);
      bytes.copyWithin(to, from, place.start);
      to += place.start - from;
      bytes.set(payload, to);
      to += payload.length;
      from = place.end;
    }
    bytes.copyWithin(to, from);
    return bytes.subarray(0, to + bytes.length - from);
  }

  #payload({ line, start, keyIds, data, keysStart, keysEnd }: SealedPlace, keys: KeysById): Uint8Array {
    const found = keyIds.flatMap((id) => keys.get(id) ?? []);
    if (found.length < keyIds.length) {
      const list = JSON.parse(decoder.decode(this.#bytes.subarray(keysStart, keysEnd))) as [string, string][];
      const gone = list.filter(([, id]) => !keys.has(id)).map(([name]) => name);
      return encoder.encode(forgottenEnd([...new Set(gone)]));
    }
    // The line without its sequence, up to the payload: what `sealEvent` bound the payload to.
    const about = this.#bytes.subarray(this.#bytes.indexOf(COMMA, line) + 1, start - PAYLOAD.length + 1);
    try {
      return decrypt(payloadKey(found), data, about);
    } catch {
      const sequence = /[0-9]+/.exec(decoder.decode(this.#bytes.subarray(line, line + 40)))?.[0];
      throw new Error(`the encrypted payload of event ${sequence} is damaged`);
    }
  }
}

const COMMA = ",".charCodeAt(0);
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function placesIn(text: string): SealedPlace[] {
  const places: SealedPlace[] = [];
  for (let at = text.indexOf(SEALED); at !== -1;) {
    const keysStart = at + SEALED.length + KEYS.length;
    const keysEnd = text.indexOf(DATA, keysStart);
    const end = text.indexOf(END, keysEnd);
    const list = JSON.parse(text.slice(keysStart, keysEnd)) as [string, string][];
    places.push({
      line: text.lastIndexOf("\n", at) + 1,
      start: at + PAYLOAD.length,
      end: end + 2,
      keysStart,
      keysEnd,
      keyIds: list.map(([, id]) => id),
      data: text.slice(keysEnd + DATA.length, end),
    });
    at = text.indexOf(SEALED, end);
  }
  return places;
}
