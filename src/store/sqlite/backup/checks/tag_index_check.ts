import type { Database } from "../../connection/database.ts";
import { indexedSequences } from "../../tables/tag_index.ts";
import type { Range } from "../../../core/ranges/direction.ts";

/** Events compared at once, each with 8 bytes of memory. Every further part reads the whole index again. */
export const PART_EVENTS_MAX = 8 * 1024 * 1024;

/** Rows read at once. */
const ROWS_MAX = 8192;
const TERMS_MAX = 512;

const TOKEN = /^[0-9a-f]{32}$/;

/**
 * Compares the tag index with the events of a range: each event's terms must be in it, and nothing else.
 *
 * The index lists events by term, while the events come with their terms. So instead of sorting one of them,
 * each event gets a sum: its terms are added, and its entries in the index are subtracted. Tokens are hashes, so
 * a 64-bit sum that ends at zero means that both are the same.
 */
export class TagIndexCheck {
  readonly #db: Database;
  readonly #range: Range;
  readonly #lowSums: Int32Array;
  readonly #highSums: Int32Array;
  #fault: string | undefined;

  /** @param range at most PART_EVENTS_MAX events */
  constructor(db: Database, range: Range) {
    this.#db = db;
    this.#range = range;
    this.#lowSums = new Int32Array(range.upTo - range.after);
    this.#highSums = new Int32Array(range.upTo - range.after);
    for (const type of ["row", "instance"]) {
      db.script(
        `CREATE VIRTUAL TABLE IF NOT EXISTS temp.event_term_${type} USING fts5vocab(main, event_term, ${type})`,
      );
    }
  }

  /** @param terms the index document that the event should have */
  add(sequence: number, terms: string): void {
    for (const token of terms.split(" ")) this.#sum(sequence, new Words(token), 1);
  }

  /**
   * Compares, after the last event of the range. Goes through the index in steps, so that other work can run in
   * between.
   */
  *compare(): Generator<void, string | undefined> {
    for (let terms = this.#nextTerms(""); terms.length > 0; terms = this.#nextTerms(terms.at(-1)!.token)) {
      for (const group of groupsOf(terms)) {
        if (group[0]!.count > ROWS_MAX) yield* this.#takeLongTerm(group[0]!);
        else this.#takeShortTerms(group[0]!.token, group.at(-1)!.token);
        yield;
      }
    }
    return this.#fault ?? this.#firstDifference();
  }

  #nextTerms(after: string): Term[] {
    const sql =
      `SELECT term, doc, cnt FROM temp.event_term_row WHERE term > ? ORDER BY term LIMIT ${TERMS_MAX}`;
    return (this.#db.all(sql, after) as [string, number, number][]).map(([token, events, count]) => {
      if (!TOKEN.test(token)) this.#fault ??= "the tag index holds a term that belongs to no event";
      if (events !== count) this.#fault ??= "the tag index lists a term of an event twice";
      return { token, count };
    });
  }

  /** Subtracts every entry of the terms between two tokens. These terms have few entries. */
  #takeShortTerms(from: string, to: string): void {
    const { after, upTo } = this.#range;
    const rows = this.#db.all(
      "SELECT term, doc FROM temp.event_term_instance WHERE term >= ? AND term <= ? AND doc > ? AND doc <= ?",
      from,
      to,
      BigInt(after),
      BigInt(upTo),
    ) as [string, number][];
    let words = new Words(from);
    for (const [token, sequence] of rows) {
      if (token !== words.token) words = new Words(token);
      this.#sum(sequence, words, -1);
    }
  }

  *#takeLongTerm({ token }: Term): Generator<void> {
    const words = new Words(token);
    const { upTo } = this.#range;
    for (let { after } = this.#range; after < upTo;) {
      const sequences = indexedSequences(this.#db, `"${token}"`, { after, upTo }, ROWS_MAX);
      for (const sequence of sequences) this.#sum(sequence, words, -1);
      after = sequences.length < ROWS_MAX ? upTo : sequences.at(-1)!;
      yield;
    }
  }

  #sum(sequence: number, words: Words, sign: 1 | -1): void {
    const at = sequence - this.#range.after - 1;
    this.#lowSums[at]! += sign * words.low;
    this.#highSums[at]! += sign * words.high;
  }

  #firstDifference(): string | undefined {
    const at = this.#lowSums.findIndex((low, i) => low !== 0 || this.#highSums[i] !== 0);
    return at < 0 ? undefined : `the tag index differs from event ${this.#range.after + 1 + at}`;
  }
}

interface Term {
  readonly token: string;
  /** The number of entries that the index has for it. */
  readonly count: number;
}

/** Groups neighbours with few entries, so that one read takes them all. */
function* groupsOf(terms: readonly Term[]): Generator<readonly Term[]> {
  let group: Term[] = [];
  let count = 0;
  for (const term of terms) {
    if (group.length > 0 && count + term.count > ROWS_MAX) {
      yield group;
      group = [];
      count = 0;
    }
    group.push(term);
    count += term.count;
  }
  if (group.length > 0) yield group;
}

/** A token as two words, made from all of its 128 bits. */
class Words {
  readonly token: string;
  readonly low: number;
  readonly high: number;

  constructor(token: string) {
    const word = (n: number): number => parseInt(token.slice(n * 8, n * 8 + 8), 16) | 0;
    this.token = token;
    this.low = (word(0) + Math.imul(word(2), 0x9e3779b1)) | 0;
    this.high = (word(1) + Math.imul(word(3), 0x85ebca6b)) | 0;
  }
}

/** True when the index has entries for events that do not exist. */
export function hasForeignEntries(db: Database, head: number): boolean {
  const sql = "SELECT 1 FROM temp.event_term_instance WHERE doc < 1 OR doc > ? LIMIT 1";
  return db.get(sql, BigInt(head)) !== undefined;
}
