import { mustHaveSucceeded } from "../../core/turn_end.ts";
import { emptyReply } from "../../http/replies.ts";
import type { Call, Route } from "../../http/router.ts";
import type { TurnFailure } from "../../store/turns.ts";
import type { EditionHost } from "../edition.ts";

/** What a route does in a turn of its own. */
export interface Turn {
  readonly kind: string;
  /** Whether a client that leaves while it waits takes its request along. */
  readonly leavesWithClient: boolean;
  readonly act: (call: Call) => Promise<TurnFailure | undefined>;
}

/** A route that does one thing in a turn of its own and answers `204`. */
export function turnRoute(host: EditionHost, method: "POST" | "DELETE", path: string, turn: Turn): Route {
  return {
    method,
    path,
    readsBody: false,
    async handle(call) {
      const run = async (): Promise<void> => mustHaveSucceeded(await turn.act(call));
      await host.queue.alone(turn.kind, run, turn.leavesWithClient ? call.left : undefined);
      return emptyReply(204);
    },
  };
}

/** `DELETE /projections/{type}` and `DELETE /projections`. */
export function deleteProjectionsRoutes(
  host: EditionHost,
  { leavesWithClient }: Pick<Turn, "leavesWithClient">,
): Route[] {
  const turn = { kind: "projections", leavesWithClient };
  return [
    turnRoute(host, "DELETE", "/projections/:type", {
      ...turn,
      act: ({ segments: [type] }) => host.store.deleteProjections(type),
    }),
    turnRoute(host, "DELETE", "/projections", {
      ...turn,
      act: () => host.store.deleteProjections(undefined),
    }),
  ];
}
