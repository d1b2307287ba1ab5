import { pause } from "../../tests/support/eventually.ts";
import type { PatroniCluster } from "../../tests/system/postgres/support/patroni_cluster.ts";
import { AuditFailure } from "../report.ts";

/** Longer than Patroni itself would try. */
const PROMOTED_SECONDS = 120;

/** Waits until another node accepts writes. @returns after how many milliseconds */
export async function untilPromoted(cluster: PatroniCluster): Promise<number> {
  const started = performance.now();
  for (;;) {
    try {
      await (await cluster.primary())!.sql("CREATE TEMPORARY TABLE written ()");
      return performance.now() - started;
    } catch {
      if (performance.now() > started + PROMOTED_SECONDS * 1000) {
        throw new AuditFailure("Patroni", ["no failover", cluster.output]);
      }
    }
    await pause(20);
  }
}
