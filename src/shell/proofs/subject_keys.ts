import type { Server } from "../../../client/server.ts";
import type { Tag } from "../../model/tag.ts";
import { type ParsedLine, parseEventLine } from "../../wire/event_line.ts";
import { isSubjectOf, SEALED } from "../../wire/sealed_event.ts";
import { NotVerified } from "../ends.ts";
import { isUnknownPath } from "./server_proofs.ts";

/** A key of a subject, as the server lists it. */
interface ListedKey extends Tag {
  readonly id: string;
  /** True when the server has found that a bit of the key was changed. */
  readonly damaged?: boolean;
}

/** The keys of subjects that the server lists, compared with the events that need them. */
export class SubjectKeys {
  readonly #subjects: ReadonlyMap<string, Tag>;
  #fault: string | undefined;
  /** The number of events with a key that the server does not list, and the first of them. */
  lacking = 0;
  firstLacking = 0;

  private constructor(subjects: ReadonlyMap<string, Tag>) {
    this.#subjects = subjects;
  }

  /**
   * Reads the list. Read it after the root of the events: it then has the keys of all of them.
   * @returns undefined if the server has no list, as in earlier versions
   * @throws NotVerified that names a damaged key
   */
  static async read(server: Server, storeId: string): Promise<SubjectKeys | undefined> {
    const answer = await server.begin({ method: "GET", path: "/subjects" }).catch((error) => {
      if (isUnknownPath(error)) return undefined;
      throw error;
    });
    if (answer === undefined) return undefined;
    const sent = answer.header("x-service-store");
    if (sent !== storeId) throw new NotVerified(`the store was replaced by ${sent} while it was read`);
    const subjects = new Map<string, Tag>();
    let isComplete = false;
    for await (const lines of answer.lines()) {
      for (const line of lines) {
        if (line.startsWith('{"hasMore":')) {
          isComplete = true;
          continue;
        }
        const { id, name, value, damaged } = answer.json<ListedKey>(line);
        if (damaged === true) throw new NotVerified(`the key ${id} of a subject is damaged in the store`);
        subjects.set(id, { name, value });
      }
    }
    if (!isComplete) throw answer.lost("half a list of keys");
    return new SubjectKeys(subjects);
  }

  /** @param line of an event as it is stored, without its line feed */
  add(line: string): void {
    if (this.#fault !== undefined || !line.includes(SEALED)) return;
    let parsed: ParsedLine;
    try {
      parsed = parseEventLine(line);
    } catch (error) {
      this.#fault = `${line.slice(0, 40)}... is not an event: ${(error as Error).message}`;
      return;
    }
    this.#compare(parsed);
  }

  /** Call it when the root of the events has been checked: a fault may be one of theirs. @throws NotVerified */
  assertFits(): void {
    if (this.#fault !== undefined) throw new NotVerified(this.#fault);
  }

  #compare({ sequence, event, sealed }: ParsedLine): void {
    let isLacking = false;
    for (const [name, id] of sealed!.keys) {
      const subject = this.#subjects.get(id);
      isLacking ||= subject === undefined;
      if (subject === undefined) continue;
      if (isSubjectOf(event.identifiers, name, subject)) continue;
      this.#fault =
        `the name or value next to the key ${id} has changed: it is not that of event ${sequence}`;
    }
    if (!isLacking) return;
    this.lacking++;
    this.firstLacking ||= sequence;
  }
}
