import type { ServerAddress } from "./server_address.ts";

/** The context of a verb, besides its flags. */
export interface ShellContext {
  readonly place: ServerAddress;
  /** Writes to standard output. @throws BrokenPipe when the reader has closed it */
  print(text: string): Promise<void>;
  /** Writes a line to standard error. */
  printError(line: string): void;
  /**
   * Returns the cells in a row of the terminal, Infinity if unknown; undefined when standard output is no terminal.
   */
  columns(): number | undefined;
  /** From now on the first SIGINT or SIGTERM does not end the program, but aborts the returned signal. */
  stopOnSignal(): AbortSignal;
}
