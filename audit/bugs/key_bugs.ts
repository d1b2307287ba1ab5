import type { Bug } from "./bug.ts";

const RESTORED = "src/backup/subjects/restored_subjects.ts";
const BACKUP = "src/backup/verbs/backup.ts";

/** A backup or a restore of a store with subjects brings a forgotten person back. */
export const KEY_BUGS: readonly Bug[] = [
  {
    name: "a restore does not apply the list of what was forgotten",
    edits: [{
      file: RESTORED,
      find: "    keys: keys.filter(({ id }) => !forgotten.has(id)),\n    forgotten: [...forgotten.values()],",
      replace:
        "    keys,\n    forgotten: [...forgotten.values()].filter(({ id }) => keys.every((key) => key.id !== id)),",
    }],
    caughtBy: { tests: "tests/backup/sealed_restore.test.ts" },
  },
  {
    name: "a restore applies the list that is given instead of the one of the backup",
    edits: [{
      file: RESTORED,
      find: "new Map([...own ?? [], ...forgotten",
      replace: "new Map([...forgotten.length > 0 ? [] : own ?? [], ...forgotten",
    }],
    caughtBy: { tests: "tests/backup/sealed_restore.test.ts" },
  },
  {
    name: "a backup replaces the list of what was forgotten by that of the source",
    edits: [{
      file: "src/backup/subjects/forgotten_list.ts",
      find: "  const all = new Map(known);",
      replace: "  const all: typeof known & Map<string, ForgottenKey> = new Map();",
    }],
    caughtBy: { tests: "tests/backup/sealed_backup.test.ts" },
  },
  {
    name: "a backup has the keys of its events next to them",
    edits: [
      {
        file: BACKUP,
        find: "    // The list then has every subject",
        replace:
          '    if (hasSubjects) await writeKeysFile(source.subjects("/subjects/keys", decodeKeyLine), `${file}.keys`);\n' +
          "    // The list then has every subject",
      },
      {
        file: BACKUP,
        find: 'import type { VerbContext, VerbEnd } from "./verb_context.ts";',
        replace: 'import { decodeKeyLine } from "../subjects/subject_lines.ts";\n' +
          'import { writeKeysFile } from "../subjects/keys_file.ts";\n' +
          'import type { VerbContext, VerbEnd } from "./verb_context.ts";',
      },
    ],
    caughtBy: { tests: "tests/backup/sealed_backup.test.ts" },
  },
  {
    name: "a backup of a store with subjects reads their payloads in clear",
    edits: [{
      file: "src/backup/source/source.ts",
      find: '    if (this.#hasSubjects) return await this.#request("QUERY", "/events/stored"',
      replace:
        '    if (limit === 1 && this.#hasSubjects) return await this.#request("QUERY", "/events/stored"',
    }],
    caughtBy: { tests: "tests/backup/sealed_backup.test.ts" },
  },
];
