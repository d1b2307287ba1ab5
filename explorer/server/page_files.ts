import html from "../page/index.html" with { type: "text" };
import css from "../page/style.css" with { type: "text" };
import script from "./page.js" with { type: "text" };

/** The files that the browser loads. */
export interface Page {
  readonly html: string;
  readonly css: string;
  readonly script: string;
}

/**
 * The page as part of the program, so that sources and executables serve the same page. `deno task explore:page` makes
 * the script from `explorer/page/`, and a test compares them.
 */
export const builtPage: Page = { html, css, script };
