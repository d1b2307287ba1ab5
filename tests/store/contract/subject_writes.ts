import type { ChunkRequest } from "../../../src/store/api/chunk.ts";
import type { Store, StoredSubject, StoreReads } from "../../../src/store/api/store.ts";
import type { StoreWrite } from "../../../src/store/api/write.ts";
import { chunksOf } from "../chunks.ts";
import { newEvent, storeWrite, tag } from "../made_writes.ts";

/** The identifiers that stand for a person in these tests. */
export const SUBJECTS = ["student", "customer"];

/** A write of one event of some subjects. */
export function about(payload: string, ...subjects: readonly [name: string, value: string][]): StoreWrite {
  return storeWrite([newEvent("t", subjects.map(([name, value]) => tag(name, value)), payload)]);
}

export function aboutStudent(payload: string, value = "s1"): StoreWrite {
  return about(payload, ["student", value]);
}

/** A write that forgets a subject. */
export function forgetting(value = "s1", name = "student", write: StoreWrite = storeWrite([])): StoreWrite {
  return { ...write, forget: tag(name, value) };
}

/** A line of an event, as a read gives it. */
export interface SubjectLine {
  readonly sequence: number;
  readonly payload: string;
  readonly forgotten?: readonly string[];
  readonly sealed?: unknown;
}

/** The lines of a page. The default is the whole store. */
export async function linesOf(
  reads: Pick<StoreReads, "chunk">,
  page: Partial<ChunkRequest> = {},
): Promise<SubjectLine[]> {
  const chunks = await Array.fromAsync(chunksOf(reads, page), ({ lines }) => decoder.decode(lines));
  return chunks.join("").split("\n").slice(0, -1).map((line) => JSON.parse(line) as SubjectLine);
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** The payloads of all events, or the names of the subjects because of which one is forgotten. */
export async function payloadsOf(
  reads: Pick<StoreReads, "chunk">,
  page: Partial<ChunkRequest> = {},
): Promise<unknown[]> {
  return (await linesOf(reads, page)).map(({ payload, forgotten }) => forgotten ?? payload);
}

/** Everything that is known of subjects. */
export async function subjectsOf({ reads }: Pick<Store, "reads">): Promise<StoredSubject[]> {
  const subjects: StoredSubject[] = [];
  for (let part = await reads.subjects(0); part.subjects.length > 0;) {
    subjects.push(...part.subjects);
    part = await reads.subjects(part.lastRow);
  }
  return subjects;
}
