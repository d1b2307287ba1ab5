import { SqliteStore } from "../../../src/store/sqlite/sqlite_store.ts";
import { storeContract } from "../contract/store_contract.ts";
import type { StoreUnderTest } from "../contract/store_test.ts";
import { TestDirectory } from "../test_store.ts";

storeContract("SqliteStore", async (first): Promise<StoreUnderTest> => {
  const directory = new TestDirectory();
  const open = (subjects: readonly string[]): Promise<SqliteStore> =>
    SqliteStore.open({ dataDir: directory.path, readersMax: 4, subjects });
  let store: SqliteStore | undefined = await open(first);
  return {
    store,
    async reopen(subjects = first) {
      await store?.close();
      store = undefined;
      return store = await open(subjects);
    },
    async [Symbol.asyncDispose]() {
      await store?.close();
      directory[Symbol.dispose]();
    },
  };
});
