import type { NewVersions } from "../../store/projections.ts";

interface Version {
  readonly version: string;
}

/** The versions of created and replaced projections, as an answer carries them. */
export function versionLists({ create, replace }: NewVersions): { create: Version[]; replace: Version[] } {
  const list = (versions: readonly string[]): Version[] => versions.map((version) => ({ version }));
  return { create: list(create), replace: list(replace) };
}
