/** A name and a value from the identifiers or the metadata of an event. */
export interface Tag {
  readonly kind: "identifiers" | "metadata";
  readonly name: string;
  readonly value: string;
}

/** The message about a text that is no tag. */
export const NO_TAG = "a tag is name=value; @name=value for metadata";

export function isSameTag(a: Tag, b: Tag): boolean {
  return a.kind === b.kind && a.name === b.name && a.value === b.value;
}

/** A tag as one text. Metadata begins with @. A name that contains `=` or begins with @ is escaped. */
export function tagText({ kind, name, value }: Tag): string {
  const escaped = name.replaceAll("%", "%25").replaceAll("=", "%3D").replace(/^@/, "%40");
  return `${kind === "metadata" ? "@" : ""}${escaped}=${value}`;
}

/** Parses a tag that `tagText` made or a user typed. */
export function tagOf(text: string | null): Tag | undefined {
  const match = /^(@?)([^=]+)=(.*)$/s.exec(text ?? "");
  if (match === null) return undefined;
  const kind = match[1] === "@" ? "metadata" : "identifiers";
  const name = match[2]!.replaceAll("%40", "@").replaceAll("%3D", "=").replaceAll("%25", "%");
  return { kind, name, value: match[3]! };
}
