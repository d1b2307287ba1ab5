import { IDENTIFIERS, METADATA, TYPE_START } from "../../../wire/event.ts";
import type { Kind } from "../../api/tally.ts";

/** One identifier with its value or values, as a regular expression of JavaScript and of PostgreSQL. */
export const IDENTIFIER: string = String
  .raw`("(?:[^"\\]|\\.)*"):(?:"(?:[^"\\]|\\.)*"|\[(?:"(?:[^"\\]|\\.)*",?)*\])`;
const EACH_IDENTIFIER = new RegExp(IDENTIFIER, "g");

/** The limit on events that are counted at once, about 7 ms in SQLite, and on the text of their kinds. */
export const TALLY_EVENTS = 5000;
export const TALLY_UNITS = 1024 * 1024;

/** Counts events by type and names of identifiers. */
export class KindCounter {
  readonly #kinds = new Map<string, { count: number; first: number; last: number }>();
  /** The size of the kinds as text. */
  units = 0;

  /** @param start the body of an event up to its metadata. Sequences ascend */
  add(sequence: number, start: string): void {
    const typeEnd = start.indexOf(IDENTIFIERS, TYPE_START);
    const identifiers = start.slice(typeEnd + IDENTIFIERS.length, -METADATA.length);
    const names = identifiers.replace(EACH_IDENTIFIER, "$1");
    const key = `[${start.slice(TYPE_START, typeEnd)},[${names}]]`;
    const kind = this.#kinds.get(key);
    if (kind === undefined) {
      this.#kinds.set(key, { count: 1, first: sequence, last: sequence });
      this.units += key.length;
    } else {
      kind.count++;
      kind.last = sequence;
    }
  }

  get kinds(): Kind[] {
    return [...this.#kinds].map(([key, counts]) => {
      const [type, identifiers] = JSON.parse(key);
      return { type, identifiers, ...counts };
    });
  }
}
