import { fileURLToPath } from "node:url";

/** A parsed unit file of systemd. */
export class UnitFile {
  readonly #lines: readonly string[];

  constructor(text: string) {
    this.#lines = text.split("\n").filter((line) => /^\w+=/.test(line));
  }

  /** Every value of a key. For some keys, systemd combines the values. */
  all(key: string): string[] {
    return this.#lines.filter((line) => line.startsWith(`${key}=`)).map((line) => line.slice(key.length + 1));
  }

  one(key: string): string {
    const values = this.all(key);
    if (values.length !== 1) throw new Error(`the unit has ${key} ${values.length} times`);
    return values[0]!;
  }
}

export function unitPath(name: string): string {
  return fileURLToPath(new URL(`../../deploy/systemd/${name}`, import.meta.url));
}

/** A unit of the package. */
export function unitFile(name: string): UnitFile {
  return new UnitFile(Deno.readTextFileSync(unitPath(name)));
}
