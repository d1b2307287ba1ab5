import { VERSION } from "../../src/config/version.ts";

/** Debian's name for the processor. */
export type Architecture = "amd64" | "arm64";

export interface ControlFacts {
  readonly architecture: Architecture;
  /** As `Name <address>`. */
  readonly maintainer: string;
  readonly installedKibibytes: number;
}

/** The file `control`, with the facts and dependencies for apt. */
export function controlText({ architecture, maintainer, installedKibibytes }: ControlFacts): string {
  return `Package: eventstore
Version: ${VERSION}
Architecture: ${architecture}
Maintainer: ${maintainer}
Installed-Size: ${installedKibibytes}
Depends: adduser, init-system-helpers (>= 1.54~), libc6 (>= 2.28), libgcc-s1
Suggests: postgresql (>= 13)
Section: database
Priority: optional
Description: append-only event store over HTTP
 Keeps events in one SQLite file, or in PostgreSQL, and serves them over HTTP.
 A client reads the events that matter to a decision and writes new ones; the
 write fails if anything that the decision is based on has changed.
 .
 The package holds the server, a program that creates an empty database, one
 that copies the events of a running server and restores them, and a client for
 the shell.
`;
}

/** Debian's changelog. The project's CHANGELOG, installed next to it, lists the changes. */
export function changelogText(maintainer: string, time: Date): string {
  const date = time.toUTCString().replace("GMT", "+0000");
  return `eventstore (${VERSION}) unstable; urgency=medium

  * Version ${VERSION}; see CHANGELOG.md.

 -- ${maintainer}  ${date}
`;
}
