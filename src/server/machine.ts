import { DescriptorBudget } from "./descriptors.ts";

/** Memory of a reader at work, about. docs/decisions/performance.md has what was measured. */
const READER_BYTES = 15_000_000;

/** Why the machine cannot carry so many readers, as a line; undefined when it can. */
export function readPoolProblem(readPoolSize: number): string | undefined {
  const inMemory = Math.floor(Deno.systemMemoryInfo().total / READER_BYTES);
  if (readPoolSize > inMemory) {
    return `readPoolSize (${readPoolSize}) is more than the ${inMemory} readers for which there is memory here`;
  }
  const { readers } = new DescriptorBudget(readPoolSize);
  return readers < readPoolSize ? fewDescriptors(readPoolSize, readers) : undefined;
}

/** What is said when there are fewer readers than wanted. */
export function fewDescriptors(readPoolSize: number, readers: number): string {
  return `readPoolSize (${readPoolSize}) is more than the ${readers} readers for which there are file ` +
    `descriptors (ulimit -n)`;
}
