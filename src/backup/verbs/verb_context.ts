/** The context of every verb, besides its own options. */
export interface VerbContext {
  /** The directory that contains the backups. */
  readonly dataDir: string;
  /** Writes all of a text to standard output. */
  print(text: string): void;
  /**
   * Writes text that may be longer than a pipe buffers, for a reader that may be slow.
   * @throws the reason of the stop, without waiting for the reader
   */
  printMuch(text: string): Promise<void>;
  /** Writes a line to standard error, prefixed with the program's name. */
  printError(line: string): void;
  /**
   * Aborted by the first SIGTERM, SIGINT or SIGHUP; the second ends the process at once. SQLite's check of a whole
   * file is one call, so both take effect only after it.
   */
  readonly stopped: AbortSignal;
}

/**
 * A verb's result: false for exit code 1, after it has printed why. When it throws, the error is printed, and the exit
 * code is 1, or 2 for a ConfigError.
 */
export type VerbEnd = Promise<boolean>;
