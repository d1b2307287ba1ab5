import type { Bug } from "./bug.ts";

const VIEW = "src/view/store_view.ts";
const SAME_ANSWERS = { tests: "tests/editions/within/same_answers.test.ts" };

function bug(name: string, find: string, replace: string, file: string = VIEW): Bug {
  return { name: `a token with within ${name}`, edits: [{ file, find, replace }], caughtBy: SAME_ANSWERS };
}

/** The restriction of a token is left out at one place. */
export const WITHIN_BUGS: readonly Bug[] = [
  bug(
    "reads all events",
    "openPage(this.#parts.store.reads, this.#restricted(request), client)",
    "openPage(this.#parts.store.reads, request, client)",
  ),
  bug("gets all events when it waits", "{ ...this.#restricted(read), terms:", "{ ...read, terms:"),
  bug(
    "reads all events inside a ticket",
    "openPage({ chunk }, this.#restricted(request), client)",
    "openPage({ chunk }, request, client)",
  ),
  bug(
    "reads the projections of others",
    "reads.projection(this.#key(key), client)",
    "reads.projection(key, client)",
  ),
  bug(
    "reads the projections of others inside a ticket",
    "writer.readProjectionInside(this.#key(key))",
    "writer.readProjectionInside(key)",
  ),
  bug("lists all projections", "space: this.#space,", 'space: "",'),
  bug("lists the projections of a type of others", "type: type && this.#space + type", "type"),
  bug("lists projections from a place among those of others", "after: after && this.#key(after)", "after"),
  bug(
    "writes projections among those of others",
    "projections: this.#changes(write) }",
    "projections: write.projections }",
  ),
  bug(
    "gets the catalog of all events",
    ": this.#parts.catalogsWithin.document(within);",
    ": this.#parts.catalog.document();",
  ),
  bug(
    "has conditions on all events",
    "conditions: conditionsWithin(write, within)",
    "conditions: write.conditions",
  ),
  bug("writes events without its tag", "    this.assertWithin(write.events.map(({ body }) => body));\n", ""),
  bug(
    "writes events without its tag in a transaction",
    "  views.of(request.access).assertWithin(events);\n",
    "",
    "src/editions/b_tx/tx_routes.ts",
  ),
  bug(
    "writes events inside a ticket as if it saw all",
    "writer.writeInside(this.#checked(write))",
    "writer.writeInside(write)",
  ),
  bug(
    "writes projections among those of others in a pause",
    "views.of(request.access).write(",
    "views.of({ ...request.access, within: undefined }).write(",
    "src/editions/c_ticket/pause_routes.ts",
  ),
  bug(
    "writes events that others see, too",
    "return own.length !== 1 ||",
    "return own.length < 1 ||",
    "src/model/within.ts",
  ),
  {
    name: "the events of others wake the reads of a token with within",
    edits: [{ file: VIEW, find: "terms: termsWithin(read.terms, within)", replace: "terms: read.terms" }],
    caughtBy: { tests: "tests/view/store_view.test.ts" },
  },
  {
    name: "a token with within continues the transactions of its name elsewhere",
    edits: [{
      file: "src/model/access.ts",
      find: "return one.name === other.name && one.within?.space === other.within?.space;",
      replace: "return one.name === other.name;",
    }],
    caughtBy: { tests: "tests/model/within.test.ts" },
  },
];
