import { mustHaveSucceeded } from "../../core/turn_end.ts";
import { emptyReply } from "../../http/replies.ts";
import type { Call, Route } from "../../http/router.ts";
import type { TurnFailure } from "../../store/writer.ts";
import type { EditionHost } from "../edition.ts";

/** A route that does one thing in a turn of its own and answers `204`. */
export function turnRoute(
  host: EditionHost,
  method: "POST" | "DELETE",
  path: string,
  kind: string,
  act: (call: Call) => Promise<TurnFailure | undefined>,
): Route {
  return {
    method,
    path,
    readsBody: false,
    async handle(call) {
      await host.queue.alone(kind, async () => mustHaveSucceeded(await act(call)), call.left);
      return emptyReply(204);
    },
  };
}
