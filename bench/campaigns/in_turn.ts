import type { ServerProcess } from "../../tests/support/server_process.ts";
import { Connection } from "../connection.ts";
import { median, table } from "./report.ts";

const ROUNDS = 9;
const MILLISECONDS = 1500;

/** A kind of requests: their server, and the name of the column. */
export interface Kind {
  readonly column: string;
  readonly server: ServerProcess;
}

/** A row of requests with a number of clients. A request counts as `each`, 1 by default. */
export interface Row<K> {
  readonly name: string;
  readonly clients: number;
  readonly request: (i: number, kind: K) => Uint8Array;
  readonly each?: number;
}

/** Measures each row with both kinds in turns, and returns a table of their rates and of the first over the second. */
export async function ratesInTurn<K extends Kind>(
  kinds: readonly [K, K],
  rows: readonly Row<K>[],
): Promise<string> {
  const lines: string[][] = [];
  for (const row of rows) {
    const rates = new Map<K, number[]>(kinds.map((kind) => [kind, []]));
    for (let round = 0; round < ROUNDS; round++) {
      for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
        rates.get(kind)!.push(await rate(row, kind));
      }
    }
    const [first, second] = kinds.map((kind) => median(rates.get(kind)!));
    lines.push([row.name, first!.toFixed(0), second!.toFixed(0), (first! / second!).toFixed(2)]);
  }
  return table(["", ...kinds.map(({ column }) => `${column}, 1/s`), "ratio"], lines);
}

async function rate<K extends Kind>({ clients, request, each = 1 }: Row<K>, kind: K): Promise<number> {
  let count = 0;
  const until = performance.now() + MILLISECONDS;
  await Promise.all(Array.from({ length: clients }, async () => {
    using connection = await Connection.open(kind.server.address);
    while (performance.now() < until) {
      const { status } = await connection.request(request(count++, kind));
      if (status !== 200) throw new Error(`answered ${status}`);
    }
  }));
  return 1000 * each * count / MILLISECONDS;
}
