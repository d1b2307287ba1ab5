import { emptyReply } from "../../http/replies.ts";
import type { Call, Route } from "../../http/router.ts";
import { type EditionParts, isUnderWay } from "./edition_parts.ts";

/** `POST /pause` and `POST /resume`. Each waits its turn, so that they take effect in the order of arrival. */
export function pauseRoutes(edition: EditionParts): Route[] {
  const { host: { queue }, pause } = edition;
  const route = (path: string, handle: (call: Call) => Promise<unknown>): Route => ({
    method: "POST",
    path,
    readsBody: false,
    level: "info",
    async handle(call) {
      await handle(call);
      return emptyReply(204);
    },
  });
  return [
    route("/pause", async ({ left }) => {
      if (pause.holds && !isUnderWay(edition, "resume")) return;
      await queue.alone("pause", () => pause.begin(), left);
    }),
    route("/resume", async ({ left }) => {
      if (!pause.holds && !isUnderWay(edition, "pause")) return;
      await queue.alone("resume", () => pause.end(), left);
    }),
  ];
}
