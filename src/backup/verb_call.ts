import type { Flags } from "../config/flags.ts";

/** What a verb is called with, and where it writes to. */
export interface VerbCall {
  readonly flags: Flags;
  /** The directory that holds the backups. */
  readonly dataDir: string;
  /** Writes text to standard output, whole. */
  print(text: string): void;
  /** Writes a line to standard error, with the name of the program in front. */
  printError(line: string): void;
  /**
   * Aborted by the first SIGTERM or SIGINT; the second ends the process at once. SQLite's check of a whole file
   * is one call, during which neither is heard: they take effect after it.
   */
  readonly stopped: AbortSignal;
}

/**
 * What a verb came to: false for exit code 1, after it has said why. An error that it throws is printed and
 * gives exit code 1 as well, a ConfigError 2.
 */
export type VerbEnd = Promise<boolean>;
