import { jsonReply } from "../../http/replies.ts";
import { getRoute, type Route } from "../../http/router.ts";
import { PROBE } from "../../model/access.ts";
import { ApiError } from "../../model/errors.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import type { EditionHost } from "../edition.ts";
import { NOT_CACHED } from "./headers.ts";

/**
 * For so long after a failed write, `GET /health?writes` is 503. Then it is 200 again, so that a proxy that has taken
 * the server out sends it the write that shows if writes succeed again.
 */
const FAILING_MILLISECONDS = 10_000;

/** All that a request without a token learns. */
const OK = { status: "ok" };

/** `GET /health`: 503 when the database cannot be read. With `?writes`, also when the last writes have failed. */
export function healthRoute({ store }: EditionHost, document: () => object): Route {
  return getRoute("none", "/health", async ({ query, access }) => {
    await store.reads.ping();
    const shown = access === PROBE ? OK : document();
    const { failing } = store.counts.health;
    if (failing === undefined) return jsonReply(200, shown, NOT_CACHED);
    const { reason, sinceMicros, lastAt } = failing;
    const since = formatTimestamp(sinceMicros);
    if (new URLSearchParams(query).has("writes") && performance.now() < lastAt + FAILING_MILLISECONDS) {
      throw new ApiError("Unavailable", `writes fail since ${since}: ${reason}`);
    }
    const details = access === PROBE ? {} : { writes: "failing", reason, since };
    return jsonReply(200, { ...shown, ...details }, NOT_CACHED);
  });
}
