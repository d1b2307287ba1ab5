import html from "../page/index.html" with { type: "text" };
import css from "../page/style.css" with { type: "text" };
import script from "./page.js" with { type: "text" };

/** What the browser loads. */
export interface Page {
  readonly html: string;
  readonly css: string;
  readonly script: string;
}

/**
 * The page as part of the program, so that it is the same from source and in an executable. The script is what
 * `deno task explore:page` makes of `explorer/page/`; a test compares them.
 */
export const builtPage: Page = { html, css, script };
