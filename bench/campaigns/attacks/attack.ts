import type { ServerProcess } from "../../../tests/support/server_process.ts";
import type { HonestRequest } from "./honest_client.ts";

export type EditionName = "A" | "B" | "C";

/** What honest clients must not notice, beyond what holds for every attack: alive, memory, nothing lost. */
export interface Bounds {
  /** Milliseconds of the median, of each kind of honest request. */
  readonly p50?: number;
  /** Milliseconds of the 99th percentile, of each kind of honest request. */
  readonly p99?: number;
  /** Milliseconds of the slowest `/health` of a try: the median over the tries. */
  readonly healthWorst?: number;
}

/** What an attack found out by itself. */
export interface Found {
  readonly tries: number;
  /** What happened, for the table. */
  readonly outcome: string;
  /** What must not happen, but did. */
  readonly faults: readonly string[];
}

/** One attack on a server that is up and has honest clients. */
export interface LoadAttack {
  readonly name: string;
  readonly edition: EditionName;
  readonly transport: "tcp" | "unix";
  readonly env?: Readonly<Record<string, string>>;
  /** Fills the data directory before the server starts. */
  readonly fill?: (dataDir: string) => void;
  readonly honest: readonly HonestRequest[];
  readonly bounds: Bounds;
  /** How much the server's peak may grow, in bytes. */
  readonly growthBytesMax?: number;
  readonly run: (arena: Arena) => Promise<Found>;
}

/** A fault of files or of the process, which needs no honest clients: it starts its own servers. */
export interface PlainAttack {
  readonly name: string;
  readonly edition: EditionName;
  readonly plain: (scale: Scale) => Promise<Found>;
}

export type Attack = LoadAttack | PlainAttack;

/** Turns full numbers into those of this run. */
export interface Scale {
  /** So many of a full number; at least one. */
  count(full: number): number;
  /** So long; at least one second. */
  seconds(full: number): number;
}

export interface Arena extends Scale {
  readonly server: ServerProcess;
  /** Lets honest requests count only while this runs; without any, they count all the time. */
  measured<T>(run: () => Promise<T>): Promise<T>;
  /** Keeps a connection open until the server has ended, which must not wait for it. */
  keep(connection: Disposable): void;
  /** Events that the attack itself got acknowledged, or may have written without hearing of it. */
  wrote(acknowledged: number, unsure?: number): void;
}

export function scale(share: number): Scale {
  return {
    count: (full) => Math.max(1, Math.round(full * share)),
    seconds: (full) => Math.max(1, full * share),
  };
}

/** A size as it stands in the name of an attack. */
export function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(0)} MB`;
}
