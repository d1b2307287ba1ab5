import type { Bug, Catcher } from "./bug.ts";

const PROOF = "src/model/merkle_proof.ts";
const WHOLE = "src/shell/proofs/whole_store.ts";
const SERVER_PROOFS = "src/shell/proofs/server_proofs.ts";

const MERKLE: Catcher = { tests: "tests/model/merkle.test.ts" };
const VERIFY: Catcher = { tests: "tests/shell/verify.test.ts" };
const VERIFY_KEYS: Catcher = { tests: "tests/shell/verify_keys.test.ts" };
const SEALED_VERIFY: Catcher = { tests: "tests/backup/sealed_verify.test.ts" };

/** A change of a stored event, of a key or of a proof goes unnoticed. */
export const PROOF_BUGS: readonly Bug[] = [
  {
    name: "a proof of inclusion accepts more digests than the tree has levels",
    edits: [{
      file: PROOF,
      find: "    if (last === 0) return undefined;\n",
      replace: "    if (last === 0) return root;\n",
    }],
    caughtBy: MERKLE,
  },
  {
    name: "a proof of consistency accepts a wrong sibling of the earlier tree",
    edits: [{
      file: PROOF,
      find: "return last === 0 && small === firstRoot && large === root;",
      replace: 'return last === 0 && small !== "" && large === root;',
    }],
    caughtBy: MERKLE,
  },
  {
    name: "a proof of inclusion that leads to another root is accepted",
    edits: [{
      file: SERVER_PROOFS,
      find: "    if (proved === wanted) return { storeId, head, root };\n",
      replace: "    if (proved === wanted || proved !== undefined) return { storeId, head, root };\n",
    }],
    caughtBy: VERIFY,
  },
  {
    name: "the tree covers events as they are read instead of stored",
    edits: [{
      file: "src/store/core/proof/hash_lines.ts",
      find: "    stored: true,\n",
      replace: "",
    }],
    caughtBy: { tests: "tests/editions/shared/proofs.test.ts" },
  },
  {
    name: "a server computes the roots of all blocks anew when it starts",
    edits: [{
      file: "src/store/core/proof/block_hashing.ts",
      find: "    return blocksOf(await this.#saved.load());\n",
      replace: "    return blocksOf({ ...await this.#saved.load(), roots: [] });\n",
    }],
    caughtBy: VERIFY,
  },
  {
    name: "a server hashes the events after the last complete block anew when it starts",
    edits: [{
      file: "src/store/core/proof/block_hashing.ts",
      find: "  blocks.continueLast(last);\n",
      replace: "  blocks.continueLast({ ...last, count: 0, roots: [] });\n",
    }],
    caughtBy: VERIFY,
  },
  {
    name: "verify leaves out the events after the last complete block",
    edits: [{
      file: WHOLE,
      find: "  if (tree.root === claimed.root) {\n",
      replace: "  const { root } = await proofs.root(tree.completeBlocks * 1024);\n" +
        "  if (tree.rootOfBlocks(tree.completeBlocks) === root) {\n",
    }],
    caughtBy: VERIFY,
  },
  {
    name: "verify does not compare the roots of a file with the events",
    edits: [{
      file: "src/model/earlier_roots.ts",
      find: "      if (next.root !== tree.root) return",
      replace: '      if (next.root === "") return',
    }],
    caughtBy: VERIFY,
  },
  {
    name: "verify --witness does not check that the store continues the last root",
    edits: [{
      file: SERVER_PROOFS,
      find: "    if (isConsistent(this.#hash, proof)) return;\n",
      replace: '    if (isConsistent(this.#hash, proof) || root !== "") return;\n',
    }],
    caughtBy: VERIFY,
  },
  {
    name: "a changed key in a file of keys is accepted",
    edits: [{
      file: "src/backup/subjects/subject_lines.ts",
      find: "  if (keyId(bytes) !== id) throw",
      replace: '  if (keyId(bytes) === "") throw',
    }],
    caughtBy: SEALED_VERIFY,
  },
  {
    name: "a changed list of what was forgotten is accepted",
    edits: [{
      file: "src/backup/subjects/complete_file.ts",
      find: "store === undefined || trailer !== trailerLine(store, lines, chain)",
      replace: 'store === undefined || trailerLine(store, lines, chain) === ""',
    }],
    caughtBy: SEALED_VERIFY,
  },
  {
    name: "the list of another store is accepted next to a backup",
    edits: [{
      file: "src/backup/subjects/forgotten_list.ts",
      find: "  if (storeId === undefined || named === undefined || named === storeId) return found;\n",
      replace: "  if (storeId === undefined || named !== storeId || named === storeId) return found;\n",
    }],
    caughtBy: SEALED_VERIFY,
  },
  {
    name: "a damaged root among the saved ones stops nothing and is not named",
    edits: [{
      file: "src/store/core/proof/saved_roots.ts",
      find: "      [...roots, ...last.roots].every((root) => ROOT.test(root));\n",
      replace: '      [...roots, ...last.roots].every((root) => root !== "");\n',
    }],
    caughtBy: VERIFY,
  },
  {
    name: "verify of a backup counts encrypted payloads instead of decrypting them",
    edits: [{
      file: "src/backup/history/sealed_check.ts",
      find: "    else if (this.#opens) this.#open(line, ids.map((id) => all.get(id)!.bytes));\n",
      replace:
        "    else if (!this.#opens) this.#open(line, ids.map((id) => all.get(id)!.bytes));\n    else this.opened++;\n",
    }],
    caughtBy: SEALED_VERIFY,
  },
  {
    name: "verify of a backup does not compare the name and value next to a key with the events",
    edits: [{
      file: "src/backup/history/sealed_check.ts",
      find: "    if (this.#opens) this.#compareSubjects(line);\n",
      replace: "    if (!this.#opens) this.#compareSubjects(line);\n",
    }],
    caughtBy: SEALED_VERIFY,
  },
  {
    name: "a run of the backup does not compare its root with that of the source",
    edits: [{
      file: "src/backup/source/compare_root.ts",
      find: "  if (root === undefined || root === tree.root) return;\n",
      replace: '  if (root === undefined || root !== "") return;\n',
    }],
    caughtBy: { tests: "tests/backup/changed_roots.test.ts" },
  },
  {
    name: "the server lists a changed key as if it were whole",
    edits: [{
      file: "src/store/core/sealing/stored_subject.ts",
      find: "key !== undefined && keyId(key) !== id",
      replace: 'key !== undefined && keyId(key) === ""',
    }],
    caughtBy: VERIFY_KEYS,
  },
  {
    name: "verify does not compare the name and value next to a key with the events",
    edits: [{
      file: "src/shell/proofs/subject_keys.ts",
      find: "      if (isSubjectOf(event.identifiers, name, subject)) continue;\n",
      replace: '      if (subject.name !== "") continue;\n',
    }],
    caughtBy: VERIFY_KEYS,
  },
];
