import { serverOf } from "../../../client/server.ts";
import type { EarlierRoot } from "../../model/earlier_roots.ts";
import { TreeHash } from "../../model/merkle_tree.ts";
import type { ShellContext } from "../context.ts";
import { ShellExit, Wrong } from "../ends.ts";
import { jsonLine } from "../output/printable.ts";
import { sequenceOf } from "../positions.ts";
import { type ClaimedRoot, ServerProofs } from "../proofs/server_proofs.ts";
import type { SubjectKeys } from "../proofs/subject_keys.ts";
import { assertWhole } from "../proofs/whole_store.ts";
import { appendWitness, earlierRoot, readWitness } from "../proofs/witness_file.ts";

interface Flags {
  readonly sequence: string | undefined;
  readonly continues: string | undefined;
  readonly witness: string | undefined;
  readonly whole: boolean;
  readonly json: boolean;
}

const KEYS_NOT_CHECKED =
  "warning: the keys of subjects are not checked: GET /subjects is 404, as on a server of an earlier version";

/** Checks the store of a server: all of it, one event, or that it continues an earlier root. */
export async function verify(context: ShellContext, flags: Flags): Promise<number> {
  const { sequence, continues, witness, whole, json } = flags;
  if (sequence !== undefined && (witness !== undefined || whole)) {
    throw new Wrong("--sequence stands alone or with --continues, without --witness and --whole");
  }
  const given = continues === undefined ? [] : [earlierRoot(continues, "continues")];
  const server = serverOf(context.place.options);
  const hash = await loadHash();
  const proofs = new ServerProofs(server, hash);
  if (sequence !== undefined) {
    if (given.length > 0) await proofs.rootFor(given);
    const number = sequenceOf(sequence, "sequence", 1);
    const root = await proofs.inclusion(number, given[0]);
    await print(context, json, root, `event ${number} is one of the ${root.head}`);
    return ShellExit.ok;
  }
  const witnessed = witness === undefined ? [] : await readWitness(witness);
  const root = await proofs.rootFor([...given, ...witnessed]);
  const isWhole = whole || (continues === undefined && witness === undefined);
  let keys: SubjectKeys | undefined;
  if (isWhole) {
    keys = await assertWhole({ server, proofs, hash, claimed: root, earlier: [...given, ...witnessed] });
    if (keys === undefined) context.printError(KEYS_NOT_CHECKED);
  } else {
    for (const earlier of [...given, ...witnessed.slice(-1)]) await proofs.assertContinues(root, earlier);
  }
  if (witness !== undefined) await appendWitness(witness, { ...root, time: new Date().toISOString() });
  await print(context, json, root, isWhole ? `all ${root.head}` : said(given, witnessed, root), keys);
  return ShellExit.ok;
}

function said(
  given: readonly EarlierRoot[],
  witnessed: readonly EarlierRoot[],
  { head }: ClaimedRoot,
): string {
  const [earlier] = [...given, ...witnessed.slice(-1)];
  return earlier === undefined
    ? `the first witness of ${head}`
    : `${head}, continuing the first ${earlier.head}`;
}

async function print(
  context: ShellContext,
  json: boolean,
  root: ClaimedRoot,
  text: string,
  keys?: SubjectKeys,
): Promise<void> {
  const { storeId, head } = root;
  const withoutKey = keys?.lacking;
  await context.print(
    json
      ? jsonLine({ storeId, head, root: root.root, ...withoutKey === undefined ? {} : { withoutKey } })
      : `verified: ${text} events${lackingText(keys)}; root ${root.root}@${head}\n`,
  );
}

/** A restore without keys leaves such events, so they are no fault by themselves. */
function lackingText(keys: SubjectKeys | undefined): string {
  if (keys === undefined || keys.lacking === 0) return "";
  return `, ${keys.lacking} of them without a key in the store, the first is ${keys.firstLacking}`;
}

/** Loads SHA-256, which the other verbs do not need. */
async function loadHash(): Promise<TreeHash> {
  const { hash } = await import("node:crypto");
  return new TreeHash((bytes) => hash("sha256", bytes, "hex"));
}
