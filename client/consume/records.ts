import type { Position } from "../events.ts";
import { listProjections } from "../list_projections.ts";
import { getProjection, pathOf } from "../projections.ts";
import { asPayload, fromPayload } from "../projector.ts";
import { readPage } from "../reading.ts";
import type { Server } from "../server.ts";
import type { NewProjection, ProjectionVersion } from "../writing.ts";

/* A consumer keeps all that it knows in projections of one type. Without them, it begins anew. */

/** The ID of the record that its first start creates. */
export const MAIN = "_consumer";

/** The type of projections whose IDs are the names of all consumers. */
export const NAMES = "consumers";

/** Facts that are fixed by the first start. */
export interface MainRecord {
  readonly partitions: number;
  /** The identifier, `(function)`, or empty for one common order. */
  readonly by: string;
}

/** The progress of a partition, and the process that owns it. */
export interface PartitionRecord {
  /** All events of the partition up to here are done. */
  readonly checkpoint: Position;
  /** Sequences after the checkpoint that are done. */
  readonly done: readonly number[];
  /** The ID of a member; undefined if the partition is free. */
  readonly owner?: string | undefined;
  /** Random: shows if a write whose answer was lost has happened. */
  readonly mark: string;
}

/** The heartbeat of a process. Each write gives the record another version. */
export interface MemberRecord {
  /** All events in the partitions of the process are done up to this sequence; undefined if it has none. */
  readonly upTo?: number | undefined;
}

/** An event that the handler could not handle. */
export interface ParkedRecord {
  /** The sequence of the event. */
  readonly sequence: number;
  /** The type of the event. */
  readonly type: string;
  /** The value by which events are in order. */
  readonly key: string;
  /** The error of the last call, at most 1,000 characters. */
  readonly error: string;
  /** Calls of the handler. 0: an earlier event of the key is parked. */
  readonly attempts: number;
  /** When it was parked, by the clock of the process: UTC with milliseconds. */
  readonly time: string;
  /** True if a person wants it to be handled again. */
  readonly retry?: boolean;
}

/** A record with its version. */
export interface Stored<Value> {
  readonly value: Value;
  readonly version: string;
}

export const partitionId = (index: number): string => `partition-${index}`;
export const memberId = (member: string): string => `member-${member}`;
export const parkedId = (index: number, sequence: number): string => `parked-${index}-${sequence}`;

/** The member of an ID of a record. */
export function memberOf(id: string): string | undefined {
  return /^member-(.+)$/.exec(id)?.[1];
}

/** The partition and the sequence of an ID of a parked event. */
export function parkedOf(id: string): readonly [index: number, sequence: number] | undefined {
  const found = /^parked-(\d+)-(\d+)$/.exec(id);
  return found ? [Number(found[1]), Number(found[2])] : undefined;
}

/** The records of one consumer. */
export class Records {
  readonly server: Server;
  readonly name: string;
  readonly type: string;

  /** @throws TypeError when a consumer cannot have this name */
  constructor(server: Server, name: string) {
    if (typeof name !== "string" || !/^\P{C}{1,200}$/u.test(name)) {
      throw new TypeError(`a consumer's name has 1 to 200 printable characters, not ${JSON.stringify(name)}`);
    }
    this.server = server;
    this.name = name;
    this.type = `consumer:${name}`;
  }

  async read<Value>(id: string, signal: AbortSignal | undefined): Promise<Stored<Value> | undefined> {
    const found = await getProjection(this.server, pathOf(this.type, id), { signal });
    return found && { value: fromPayload<Value>(this.server, found.payload), version: found.version };
  }

  /** The versions of all records by their IDs. */
  async list(signal: AbortSignal | undefined): Promise<Map<string, string>> {
    const versions = new Map<string, string>();
    for await (const { id, version } of listProjections(this.server, { type: this.type, signal })) {
      versions.set(id, version);
    }
    return versions;
  }

  /** The end of the store: after every sequence that there can be. */
  async head(signal: AbortSignal | undefined): Promise<Position> {
    return (await readPage(this.server, "*", { after: 2 ** 53 - 1, limit: 1, signal })).head;
  }

  /** A record to create. */
  created(id: string, value: unknown): NewProjection {
    return { type: this.type, id, payload: asPayload(this.server, value) };
  }

  /** A record to replace. */
  replaced(id: string, version: string, value: unknown): NewProjection & ProjectionVersion {
    return { ...this.created(id, value), version };
  }
}

/** Random enough to be unique. Some browsers have no `randomUUID`. */
export function newMark(): string {
  return [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join("");
}
