/** What every verb is run with, besides its own options. */
export interface VerbContext {
  /** The directory that holds the backups. */
  readonly dataDir: string;
  /** Writes all of a text to standard output. */
  print(text: string): void;
  /**
   * The same for more than a pipe holds, whose reader may take its time.
   * @throws the reason of the stop, without waiting for the reader
   */
  printMuch(text: string): Promise<void>;
  /** Writes a line to standard error, prefixed with the program's name. */
  printError(line: string): void;
  /**
   * Aborted by the first SIGTERM, SIGINT or SIGHUP; the second ends the process at once. SQLite's check of a whole file
   * is one call, during which neither is noticed: they take effect after it.
   */
  readonly stopped: AbortSignal;
}

/**
 * A verb's result: false for exit code 1, after it has printed why. An error that it throws is printed and
 * gives exit code 1 as well, a ConfigError 2.
 */
export type VerbEnd = Promise<boolean>;
