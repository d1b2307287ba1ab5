import type { EditionName } from "../../../src/config/setting.ts";
import type { ServerProcess } from "../../../tests/support/server_process.ts";
import type { HonestRequest } from "./honest_order.ts";

/**
 * Bounds for honest clients, besides those for every attack: the server stays up, its memory is bounded, no event
 * is lost.
 */
export interface Bounds {
  /** Milliseconds of the median, for each kind of honest request. */
  readonly p50?: number;
  /** Milliseconds of the 99th percentile, for each kind of honest request. */
  readonly p99?: number;
  /** Milliseconds of the slowest `/health` of a try. It is the median over all tries. */
  readonly healthWorst?: number;
}

/** The results that an attack determines itself. */
export interface Found {
  readonly tries: number;
  /** A summary for the table. */
  readonly outcome: string;
  /** Descriptions of events that must not happen, but did. */
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
  /** How far the server's peak memory may grow, in bytes. */
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

/** Scales full numbers down to those of this run. */
export interface Scale {
  /** The scaled number; at least one. */
  count(full: number): number;
  /** The scaled number of seconds; at least one. */
  seconds(full: number): number;
}

export interface Arena extends Scale {
  readonly server: ServerProcess;
  /** If called, honest requests count only while `run` runs. Otherwise they count all the time. */
  measured<T>(run: () => Promise<T>): Promise<T>;
  /** Keeps a connection open until the server has ended. The server must not wait for it. */
  keep(connection: Disposable): void;
  /** Counts events that the attack itself wrote: acknowledged ones, and ones whose outcome is unknown. */
  wrote(acknowledged: number, unsure?: number): void;
}

export function scale(share: number): Scale {
  return {
    count: (full) => Math.max(1, Math.round(full * share)),
    seconds: (full) => Math.max(1, full * share),
  };
}

/** A size, as the names of attacks give it. */
export function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(0)} MB`;
}
