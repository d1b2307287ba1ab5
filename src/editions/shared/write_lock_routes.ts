import { emptyReply } from "../../http/replies.ts";
import type { Route, RoutedRequest } from "../../http/router.ts";
import type { Right } from "../../model/access.ts";
import { type Outcome, outcomeOf, throwIfFailed } from "../../store/api/outcome.ts";
import { Admission } from "../../write_queue/admission.ts";
import type { EditionHost } from "../edition.ts";

export interface WriteLockAction {
  readonly kind: string;
  readonly right: Right;
  /** True if the request is cancelled when its client disconnects while it waits. */
  readonly leavesWithClient: boolean;
  readonly act: (request: RoutedRequest) => Promise<Outcome<void>>;
}

/** A route that does one thing in a write transaction of its own and returns `204`. */
export function writeLockRoute(
  { queue }: EditionHost,
  method: "POST" | "DELETE",
  path: string,
  { kind, right, leavesWithClient, act }: WriteLockAction,
): Route {
  return {
    method,
    path,
    right,
    body: "ignored",
    async handle(request) {
      const run = async (): Promise<void> => throwIfFailed(await outcomeOf(act(request)));
      await queue.alone(new Admission(kind, leavesWithClient ? request.disconnected : undefined), run);
      return emptyReply(204);
    },
  };
}

export function deleteProjectionsRoutes(host: EditionHost, leavesWithClient: boolean): Route[] {
  const action: WriteLockAction = {
    kind: "projections",
    right: "develop",
    leavesWithClient,
    act: ({ segments: [type] }) => host.store.writer.deleteProjections(type),
  };
  return ["/projections/:type", "/projections"].map((path) => writeLockRoute(host, "DELETE", path, action));
}
