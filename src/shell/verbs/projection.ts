import { Conflict } from "../../../client/mod.ts";
import type { ShellContext } from "../context.ts";
import { reach, type Reached } from "../edition.ts";
import { NotFound, ShellExit, Wrong } from "../ends.ts";
import { jsonLine, printable } from "../output/printable.ts";

interface ProjectionFlags {
  readonly ifVersion: string | undefined;
  readonly all: boolean;
  readonly json: boolean;
}

/** The maximum number of attempts to delete a projection while other clients change it. */
const ATTEMPTS = 10;

/** Prints a projection, or deletes projections. */
export async function projection(
  context: ShellContext,
  [what, type, id]: readonly string[],
  flags: ProjectionFlags,
): Promise<number> {
  // As a segment of a path they would name a folder.
  const dots = [type, id].find((segment) => segment === "." || segment === "..");
  if (dots !== undefined) throw new Wrong(`no projection can be asked for whose type or id is "${dots}"`);
  if (what === "get") {
    if (flags.all || flags.ifVersion !== undefined) {
      throw new Wrong("--all and --if-version belong to delete");
    }
    if (type === undefined || id === undefined) {
      throw new Wrong("get needs the type and the id of a projection");
    }
    return await print(context, type, id, flags.json);
  }
  if (flags.json) throw new Wrong("--json belongs to get");
  if (flags.all) {
    if (id !== undefined || flags.ifVersion !== undefined) {
      throw new Wrong("--all takes no id and no version");
    }
    const { store } = await reach(context.place);
    await (type === undefined ? store.projections.deleteAll() : store.projections.deleteType(type));
    return ShellExit.ok;
  }
  if (type === undefined || id === undefined) {
    throw new Wrong("delete needs the type and the id of a projection, or --all");
  }
  await deleteOne(await reach(context.place), type, id, flags.ifVersion);
  return ShellExit.ok;
}

async function print(context: ShellContext, type: string, id: string, json: boolean): Promise<number> {
  const { store } = await reach(context.place);
  const found = await store.projections.get<string>(type, id);
  if (found === undefined) throw notFound(type, id);
  const { payload, version } = found;
  if (json) await context.print(jsonLine({ type, id, version, payload }));
  // A program gets it as it is stored. A terminal gets it with control characters escaped.
  else await context.print(`${context.columns() === undefined ? payload : printable(payload)}\n`);
  return ShellExit.ok;
}

/** Deletes a projection at a given version, or at its current version. */
async function deleteOne({ store }: Reached, type: string, id: string, ifVersion?: string): Promise<void> {
  for (let attempt = 1;; attempt++) {
    const version = ifVersion ?? (await store.projections.get(type, id))?.version;
    if (version === undefined) throw notFound(type, id);
    try {
      await store.projections.write({ delete: [{ type, id, version }] });
      return;
    } catch (error) {
      const again = error instanceof Conflict && ifVersion === undefined && attempt < ATTEMPTS;
      if (!again) throw error;
    }
  }
}

function notFound(type: string, id: string): NotFound {
  return new NotFound(`there is no projection ${type}/${id}`);
}
