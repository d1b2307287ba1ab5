import { SqliteStore } from "../../../src/store/sqlite/sqlite_store.ts";
import { storeContract } from "../contract/store_contract.ts";
import type { StoreUnderTest } from "../contract/store_test.ts";
import { TestDirectory } from "../test_store.ts";

storeContract("SqliteStore", async (first): Promise<StoreUnderTest> => {
  const directory = new TestDirectory();
  const open = (subjects: readonly string[], masterKeys: readonly string[] = []): Promise<SqliteStore> =>
    SqliteStore.open({ dataDir: directory.path, readersMax: 4, subjects, masterKeys });
  let store: SqliteStore | undefined = await open(first);
  return {
    store,
    async reopen(subjects = first, masterKeys = []) {
      await store?.close();
      store = undefined;
      return store = await open(subjects, masterKeys);
    },
    async [Symbol.asyncDispose]() {
      await store?.close();
      directory[Symbol.dispose]();
    },
  };
});
