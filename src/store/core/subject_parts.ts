import type { StoredSubject, SubjectsPart } from "../api/store.ts";

type Part = Omit<SubjectsPart, "storeId">;

/** Reads all subjects, part by part. @param read returns those after a row, and the last row; none at the end */
export async function* subjectParts(
  read: (afterRow: number) => Part | Promise<Part>,
): AsyncGenerator<readonly StoredSubject[], void> {
  for (let after = 0;;) {
    const { subjects, lastRow } = await read(after);
    if (subjects.length === 0) return;
    yield subjects;
    after = lastRow;
  }
}
