const PAGE = new URL("../../docs/sql.md", import.meta.url);

/** The queries of docs/sql.md for SQLite, in their order, or those for DuckDB. */
export function pageQueries(kind: "sql" | "sql duckdb"): string[] {
  return blocks(kind).map((text) => text.trim());
}

/** The commands of the page, line by line, without comments. */
export function pageCommands(): string[] {
  return blocks("sh").flatMap((text) => text.split("\n"))
    .map((line) => line.replace(/(^| )#.*/, "").trimEnd()).filter((line) => line !== "");
}

function blocks(kind: string): string[] {
  const all = Deno.readTextFileSync(PAGE).matchAll(/^```([^\n]+)\n(.*?)^```$/gms);
  return [...all].filter(([, language]) => language === kind).map(([, , text]) => text!);
}

/** The events that the queries are about: two courses, one of them with students. */
export const COURSE_EVENTS = [
  { type: "CourseDefined", identifiers: { course: "c1" }, payload: '{"capacity":30}' },
  { type: "CourseDefined", identifiers: { course: "c2" }, payload: '{"capacity":5}' },
  { type: "StudentEnrolled", identifiers: { course: "c1", student: ["s1", "s2"] }, payload: "" },
  {
    type: "StudentEnrolled",
    identifiers: { course: "c1", student: "s3" },
    metadata: { by: "web" },
    payload: "",
  },
];
