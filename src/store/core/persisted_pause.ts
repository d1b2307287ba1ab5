import { throwIfFailed } from "../api/outcome.ts";
import { readPauseFile, removePauseFile, writePauseFile } from "./pause_file.ts";
import type { Store } from "../api/store.ts";

/** The storage for the pause of edition C. Each change is durable once its promise has resolved. */
export interface PersistedPause {
  /** Since when the store was paused as it was opened, in microseconds since 1970; undefined when it was not. */
  readonly sinceMicros: number | undefined;
  /** @returns since when it holds, about `nowMicros` */
  begin(nowMicros: number): Promise<number>;
  end(): Promise<void>;
}

/** Stores the pause in the data directory, by the clock of its file system. */
export function pauseInFile(dataDir: string): PersistedPause {
  return {
    sinceMicros: readPauseFile(dataDir),
    begin: () => writePauseFile(dataDir),
    end: () => removePauseFile(dataDir),
  };
}

/**
 * Stores the pause in the store itself, where every server that becomes active finds it. Each change is a write
 * transaction.
 */
export function pauseInStore({ opened, writer }: Pick<Store, "opened" | "writer">): PersistedPause {
  return {
    sinceMicros: opened.pausedSinceMicros,
    async begin(nowMicros) {
      throwIfFailed(await writer.setPaused(nowMicros));
      return nowMicros;
    },
    async end() {
      throwIfFailed(await writer.setPaused(undefined));
    },
  };
}
