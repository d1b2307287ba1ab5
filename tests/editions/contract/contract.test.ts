import { serverOfFile } from "../../support/server_process.ts";
import { contractA } from "./a.ts";
import { contractOfAuth, contractWithoutAuth } from "./auth.ts";
import { contractB } from "./b.ts";
import { contractOfBodies } from "./bodies.ts";
import { contractOfCatalogs } from "./catalogs.ts";
import { contractC } from "./c.ts";
import { contractOfConflicts } from "./conflicts.ts";
import { CONTRACT_ENV, type ContractEdition, type ContractTest, mustBe, Subject } from "./edition.ts";
import { contractOfPages } from "./pages.ts";
import { contractOfPositions } from "./positions.ts";
import { contractOfProjectionReads } from "./projection_reads.ts";
import { contractOfProjections } from "./projections.ts";
import { contractOfQueries } from "./queries.ts";
import { contractOfReads } from "./reads.ts";
import { contractOfRestarts } from "./restart.ts";
import { contractOfRoutes } from "./routes.ts";
import { contractOfTagLimit } from "./tag_limit.ts";
import { contractOfTags } from "./tags.ts";
import { contractOfTokens } from "./tokens.ts";
import { contractOfWaiting, contractOfWaitingAtStop } from "./waiting.ts";

/*
 * The contract that every edition must fulfil, however it writes. `ContractEdition` says how an edition does the
 * common operations. The features of a single edition have their own tests.
 */

const editions: readonly ContractEdition[] = [contractA, contractB, contractC];

for (const edition of editions) {
  const server = serverOfFile({ listen: "unix", env: { ...CONTRACT_ENV, SERVICE_EDITION: edition.name } });

  const named = (name: string): string => `edition ${edition.name}: ${name}`;
  const test: ContractTest = (name, run) => {
    Deno.test(named(name), async () => {
      const subject = new Subject(edition, server.client());
      mustBe(204, await edition.reset(subject.client));
      await run(subject);
    });
  };
  contractOfReads(edition, test);
  contractOfTags(test);
  contractOfQueries(edition, test);
  contractOfWaiting(edition, test);
  contractOfWaitingAtStop(edition, named);
  contractOfPositions(test);
  contractOfCatalogs(test);
  contractOfConflicts(test);
  contractOfProjectionReads(test);
  contractOfProjections(edition, test);
  contractOfBodies(edition, test);
  contractOfRoutes(edition, test, server);
  contractOfRestarts(edition, test, server);
  contractWithoutAuth(test);
  contractOfAuth(edition, named);
  contractOfTokens(edition, named);
  contractOfPages(edition, named);
  contractOfTagLimit(edition, named);
}
