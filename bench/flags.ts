import { parseArgs } from "node:util";
import { STORAGE_NAMES } from "../src/config/setting.ts";

type StorageName = (typeof STORAGE_NAMES)[number];

export interface BenchFlags {
  readonly unix: boolean;
  /** The storage of the servers. */
  readonly storage: StorageName;
  /** How long each workload and each baseline is measured, in seconds. */
  readonly seconds: number;
  /** Events in the store before it is measured. */
  readonly prefill: number;
  /** The file for the numbers, in addition to the table. */
  readonly jsonPath: string | undefined;
  /** The directory for the temporary stores; the system's own when undefined. */
  readonly dir: string | undefined;
}

export const USAGE = `deno task bench [flags]
  --unix          a unix socket instead of TCP
  --storage name  sqlite (the default), or postgres: one of Debian's, started for the run
  --seconds n     seconds that each row is measured (5)
  --prefill n     events in the store before the first row (200000)
  --dir path      where the temporary stores lie; must be on the disk that is to be measured
  --json path     write all numbers to this file as well
`;

/** @throws TypeError for an unknown flag or a value that makes no sense */
export function parseBenchFlags(args: readonly string[]): BenchFlags {
  const { values } = parseArgs({
    args: [...args],
    options: {
      unix: { type: "boolean", default: false },
      storage: { type: "string", default: "sqlite" },
      seconds: { type: "string", default: "5" },
      prefill: { type: "string", default: "200000" },
      dir: { type: "string" },
      json: { type: "string" },
    },
  });
  return {
    unix: values.unix,
    storage: storageNamed(values.storage),
    seconds: count("seconds", values.seconds),
    prefill: count("prefill", values.prefill),
    jsonPath: values.json,
    dir: values.dir,
  };
}

function storageNamed(name: string): StorageName {
  const found = STORAGE_NAMES.find((storage) => storage === name);
  if (found !== undefined) return found;
  throw new TypeError(`--storage must be ${STORAGE_NAMES.join(" or ")}, not ${JSON.stringify(name)}`);
}

function count(name: string, text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new TypeError(`--${name} must be a whole number above 0, not ${JSON.stringify(text)}`);
}
