import { SqliteStore } from "../../../src/store/sqlite/sqlite_store.ts";
import { storeContract } from "../contract/store_contract.ts";
import type { StoreUnderTest } from "../contract/store_test.ts";
import { TestDirectory } from "../test_store.ts";

storeContract("SqliteStore", async (): Promise<StoreUnderTest> => {
  const directory = new TestDirectory();
  const open = (): Promise<SqliteStore> => SqliteStore.open({ dataDir: directory.path, readersMax: 4 });
  const first = await open();
  let store = first;
  return {
    store: first,
    async reopen() {
      await store.close();
      return store = await open();
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      directory[Symbol.dispose]();
    },
  };
});
