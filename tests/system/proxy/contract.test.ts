import { contractA } from "../../editions/contract/a.ts";
import { contractB } from "../../editions/contract/b.ts";
import { contractC } from "../../editions/contract/c.ts";
import { contractOfBodies } from "../../editions/contract/bodies.ts";
import {
  CONTRACT_ENV,
  type ContractEdition,
  type ContractTest,
  mustBe,
  Subject,
} from "../../editions/contract/edition.ts";
import { contractOfProjections } from "../../editions/contract/projections.ts";
import { contractOfReads } from "../../editions/contract/reads.ts";
import { Client } from "../../support/client.ts";
import type { ProxyName } from "./proxy.ts";
import { proxiedTest } from "./proxy_test.ts";

/**
 * The requests that do not pass, according to the page: `/reset` on purpose, and the paths that nginx itself rejects.
 */
const NOT_PASSED: Readonly<Record<ProxyName, RegExp>> = {
  nginx: /^(a reset|a path segment (%|%zz|%2e%2e|n%00n) )/,
  // Caddy waits for more of a body before it passes the answer on.
  caddy: /^(a reset|a body that is only announced)/,
};

/** One part of the contract of one edition, collected instead of registered. */
function partsOf(edition: ContractEdition): Map<string, (subject: Subject) => Promise<void>> {
  const tests = new Map<string, (subject: Subject) => Promise<void>>();
  const collect: ContractTest = (name, run) => tests.set(name, run);
  contractOfReads(edition, collect);
  contractOfProjections(edition, collect);
  contractOfBodies(edition, collect);
  return tests;
}

for (const edition of [contractA, contractB, contractC]) {
  await proxiedTest(`the contract of edition ${edition.name} holds`, {
    listen: "unix",
    env: { ...CONTRACT_ENV, SERVICE_EDITION: edition.name },
  }, async ({ name, server, proxy }) => {
    const subject = new Subject(edition, new Client(proxy.address));
    for (const [title, run] of partsOf(edition)) {
      if (NOT_PASSED[name].test(title)) continue;
      mustBe(204, await edition.reset(server.client()));
      try {
        await run(subject);
      } catch (error) {
        throw new Error(title, { cause: error });
      }
    }
  });
}
