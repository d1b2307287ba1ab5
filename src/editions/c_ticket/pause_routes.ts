import { emptyReply } from "../../http/replies.ts";
import type { Route, RoutedRequest } from "../../http/router.ts";
import { Admission } from "../../write_queue/admission.ts";
import { type EditionParts, isPending } from "./edition_parts.ts";

/**
 * `POST /pause` and `POST /resume`. Each waits in the write queue, so they take effect in the order of the
 * requests.
 */
export function pauseRoutes(edition: EditionParts): Route[] {
  const { host: { queue }, pause } = edition;
  const route = (path: string, handle: (request: RoutedRequest) => Promise<unknown>): Route => ({
    method: "POST",
    path,
    body: "ignored",
    level: "info",
    async handle(request) {
      await handle(request);
      return emptyReply(204);
    },
  });
  return [
    route("/pause", async ({ disconnected }) => {
      if (pause.isPaused && !isPending(edition, "resume")) return;
      await queue.alone(new Admission("pause", disconnected), () => pause.begin());
    }),
    route("/resume", async ({ disconnected }) => {
      if (!pause.isPaused && !isPending(edition, "pause")) return;
      await queue.alone(new Admission("resume", disconnected), () => pause.end());
    }),
  ];
}
