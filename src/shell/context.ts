import type { ServerAddress } from "./server_address.ts";

/** What a verb is given besides its flags. */
export interface ShellContext {
  readonly place: ServerAddress;
  /** Writes to standard output. @throws BrokenPipe when nobody reads it any more */
  print(text: string): Promise<void>;
  /** Writes a line to standard error. */
  printError(line: string): void;
  /** How many cells a row of the terminal has, Infinity if unknown; undefined when standard output is no terminal. */
  columns(): number | undefined;
  /** From now on the first SIGINT or SIGTERM does not end the program, but is told by the signal. */
  stopOnSignal(): AbortSignal;
}
