import type { EditionInterface } from "../../tools/openapi/edition_interface.ts";

/** The methods of each path. */
export function methodsOf({ operations }: EditionInterface): Map<string, string[]> {
  const found = Map.groupBy(operations, ({ path }) => path);
  return new Map([...found].map(([path, here]) => [path, here.map(({ method }) => method).sort()]));
}

export function withoutHead(methods: readonly string[]): string[] {
  return methods.filter((method) => method !== "HEAD").toSorted();
}
