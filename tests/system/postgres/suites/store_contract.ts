import { parsePostgresUrl, type PostgresAddress } from "../../../../src/config/postgres_url.ts";
import { PostgresStore } from "../../../../src/store/postgres/postgres_store.ts";
import { storeContract } from "../../../store/contract/store_contract.ts";
import type { StoreUnderTest } from "../../../store/contract/store_test.ts";

/* Run with the URL of a PostgreSQL, as suites.test.ts and the task test-postgres do. */

const address = parsePostgresUrl(Deno.env.get("EVENTSTORE_TEST_POSTGRES_URL")!) as PostgresAddress;

storeContract("PostgresStore", async (first): Promise<StoreUnderTest> => {
  const schema = `contract_${crypto.randomUUID().replaceAll("-", "")}`;
  const open = (subjects: readonly string[], masterKeys: readonly string[] = []): Promise<PostgresStore> =>
    PostgresStore.open({ address, schema }, {
      readersMax: 4,
      edition: "A",
      servers: "shared",
      subjects,
      masterKeys,
    });
  let store: PostgresStore | undefined = await open(first);
  return {
    store,
    async reopen(subjects = first, masterKeys = []) {
      await store?.close();
      store = undefined;
      return store = await open(subjects, masterKeys);
    },
    async [Symbol.asyncDispose]() {
      await store?.close();
    },
  };
});
