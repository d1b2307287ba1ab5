import { h } from "../parts/dom.ts";
import type { Tag } from "../filter/tag.ts";
import { partsOf, timeText } from "../parts/format.ts";
import { tagButton, typeMark } from "../parts/parts.ts";
import { forgottenText, type StoredEvent, tagsOf } from "../store/stored_event.ts";
import { visibleLine } from "../parts/visible_text.ts";
import type { Column } from "./row_columns.ts";

/** A row has space for so many tags. */
const TAGS_MAX = 12;
const CHARACTERS_MAX = 200;

export interface RowOptions {
  /** The address of the opened event. */
  readonly link: string;
  /** The class of the type's colour. */
  readonly color: string;
  /** The tags of the shown columns. */
  readonly tags: readonly Tag[];
  readonly columns: { has(column: Column): boolean };
  onTag(tag: Tag): void;
}

/** The tags of an event in the shown columns. */
export function shownTags(event: StoredEvent, columns: RowOptions["columns"]): Tag[] {
  return tagsOf(event).filter(({ kind }) => columns.has(kind));
}

/** An event as one row of a list. */
export function eventRow(
  event: StoredEvent,
  { link, color, tags, columns, onTag }: RowOptions,
): HTMLLIElement {
  const more = tags.length - TAGS_MAX;
  const type = h(
    "span",
    { class: "row-type", title: visibleLine(event.type) },
    typeMark(color),
    h("bdi", {}, visibleLine(event.type.slice(0, CHARACTERS_MAX))),
  );
  const forgotten = forgottenText(event);
  const payload = visibleLine((forgotten ?? event.payload).slice(0, CHARACTERS_MAX));
  return h(
    "li",
    { "class": "row", "data-sequence": event.sequence },
    h("a", { class: "row-sequence", href: link, tabindex: -1 }, `${event.sequence}`),
    columns.has("time") ? rowTime(event.time) : undefined,
    columns.has("type") ? type : undefined,
    columns.has("identifiers") || columns.has("metadata")
      ? h(
        "span",
        { class: "row-tags" },
        ...tags.slice(0, TAGS_MAX).map((tag) => rowTag(tag, onTag)),
        more > 0 ? h("span", { class: "row-more" }, `+${more}`) : undefined,
      )
      : undefined,
    columns.has("payload")
      ? h(
        "span",
        { class: forgotten === undefined ? "row-payload" : "row-payload quiet" },
        h("bdi", {}, payload),
      )
      : undefined,
  );
}

/** The date and the time. Where space is short, the style sheet leaves out this year and a date that all rows share. */
function rowTime(time: string): HTMLElement {
  const { date, clock } = timeText(time);
  const isThisYear = date.slice(0, 4) === partsOf(new Date()).date.slice(0, 4);
  return h(
    "time",
    { class: "row-time", datetime: time, title: time },
    h(
      "span",
      { class: "row-date" },
      h("span", isThisYear ? { class: "row-year" } : {}, date.slice(0, 5)),
      `${date.slice(5)} `,
    ),
    clock,
  );
}

function rowTag(tag: Tag, onTag: (tag: Tag) => void): HTMLElement {
  const short = {
    ...tag,
    name: tag.name.slice(0, CHARACTERS_MAX),
    value: tag.value.slice(0, CHARACTERS_MAX),
  };
  const element = tagButton(short, "show only events with this tag", () => onTag(tag));
  // The keyboard reaches these buttons in the opened event.
  element.tabIndex = -1;
  return element;
}
