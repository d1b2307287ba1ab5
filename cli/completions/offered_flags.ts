import { flagsWithGroup } from "../flags.ts";
import type { Flag, Program, Verb } from "../program.ts";

/**
 * Returns the flags that a shell offers for a program or a verb: each name once, repeated if the flag may be repeated
 * anywhere.
 */
export function offeredFlags(command: Program | Verb): Flag[] {
  const byName = new Map<string, Flag>();
  const begin = "group" in command ? command.group?.begin : undefined;
  for (const flag of flagsWithGroup(command)) {
    const earlier = byName.get(flag.name);
    if (earlier !== undefined) byName.set(flag.name, { ...earlier, repeated: true });
    else byName.set(flag.name, flag === begin ? { ...flag, repeated: true } : flag);
  }
  return [...byName.values()];
}

/** True when the value of a flag is a path, which shells know how to complete. */
export function takesPath({ value }: Flag): boolean {
  return value === "path";
}
