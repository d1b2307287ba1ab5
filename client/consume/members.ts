import { Conflict } from "../errors.ts";
import { write } from "../writing.ts";
import { memberId, memberOf, type MemberRecord } from "./records.ts";
import type { Session } from "./session.ts";

/**
 * The processes that share a consumer. Each writes a heartbeat. No clocks are compared: a process has stopped when
 * another one, by its own clock, has seen the same version of its heartbeat for the time of a lease.
 */
export class Members<Events extends object> {
  readonly #session: Session<Events>;
  #version: string | undefined;
  /** The versions of the others, and the time when each was seen first. */
  readonly #seen = new Map<string, { readonly version: string; readonly at: number }>();

  constructor(session: Session<Events>) {
    this.#session = session;
  }

  /** Writes a heartbeat. Another process may have deleted the record, after a long pause of this one. */
  async beat(): Promise<void> {
    const { server, records, member, owned, requests: { signal } } = this.#session;
    const id = memberId(member);
    const ends = [...owned.values()].map(({ upTo }) => upTo);
    const value: MemberRecord = ends.length ? { upTo: Math.min(...ends) } : {};
    for (;;) {
      const projections = this.#version
        ? { replace: [records.replaced(id, this.#version, value)] }
        : { create: [records.created(id, value)] };
      try {
        const { create, replace } = (await write(server, [], { projections, signal })).projections;
        this.#version = (create[0] ?? replace[0])!.version;
        return;
      } catch (error) {
        // If an answer was lost, the next heartbeat may find the record in another version.
        if (!(error instanceof Conflict)) throw error;
        this.#version = (await records.read(id, signal))?.version;
      }
    }
  }

  /** The members that work, in order. Records of those that have stopped are deleted. */
  async working(listed: ReadonlyMap<string, string>): Promise<string[]> {
    const { member, leaseSeconds, notify } = this.#session;
    const now = performance.now();
    const working = [member];
    const present = new Set<string>();
    for (const [id, version] of listed) {
      const other = memberOf(id);
      if (other === undefined || other === member) continue;
      present.add(other);
      const seen = this.#seen.get(other);
      if (seen?.version !== version) this.#seen.set(other, { version, at: now });
      if (seen?.version !== version || now - seen.at < 1000 * leaseSeconds) working.push(other);
      else if (await this.#delete(other, version)) notify({ kind: "takeover", member: other });
    }
    for (const other of this.#seen.keys()) if (!present.has(other)) this.#seen.delete(other);
    return working.sort();
  }

  /** Deletes the record of this process, so that others need not wait. */
  async leave(): Promise<void> {
    if (this.#version) await this.#delete(this.#session.member, this.#version);
  }

  /** @returns true if the record was deleted by this call */
  async #delete(member: string, version: string): Promise<boolean> {
    const { server, records, requests: { signal } } = this.#session;
    const gone = [{ type: records.type, id: memberId(member), version }];
    try {
      await write(server, [], { projections: { delete: gone }, signal });
      return true;
    } catch (error) {
      if (error instanceof Conflict) return false;
      throw error;
    }
  }
}
