import type { NewVersions } from "../../store/projections.ts";

interface Version {
  readonly version: string;
}

export interface VersionLists {
  readonly create: readonly Version[];
  readonly replace: readonly Version[];
}

/** The versions of created and replaced projections, as an answer carries them. */
export function versionLists({ create, replace }: NewVersions): VersionLists {
  const list = (versions: readonly string[]): Version[] => versions.map((version) => ({ version }));
  return { create: list(create), replace: list(replace) };
}
