import { h } from "../parts/dom.ts";
import type { Tag } from "../filter/tag.ts";
import { timeText } from "../parts/format.ts";
import { tagButton, typeMark } from "../parts/parts.ts";
import { type StoredEvent, tagsOf } from "../store/stored_event.ts";
import { visibleLine } from "../parts/visible_text.ts";

/** A row has space for so many tags. */
const TAGS_MAX = 6;
const CHARACTERS_MAX = 200;

export interface RowOptions {
  /** The address of the opened event. */
  readonly link: string;
  /** The class of the type's colour. */
  readonly color: string;
  onTag(tag: Tag): void;
}

/** An event as one row of a list. */
export function eventRow(event: StoredEvent, { link, color, onTag }: RowOptions): HTMLLIElement {
  const { date, clock } = timeText(event.time);
  const tags = tagsOf(event);
  const more = tags.length - TAGS_MAX;
  return h(
    "li",
    { "class": "row", "data-sequence": event.sequence },
    h("a", { class: "row-sequence", href: link, tabindex: -1 }, `${event.sequence}`),
    h(
      "time",
      { class: "row-time", datetime: event.time, title: event.time },
      h("span", { class: "row-date" }, `${date} `),
      clock,
    ),
    h(
      "span",
      { class: "row-type", title: visibleLine(event.type) },
      typeMark(color),
      h("bdi", {}, visibleLine(event.type.slice(0, CHARACTERS_MAX))),
    ),
    h(
      "span",
      { class: "row-tags" },
      ...tags.slice(0, TAGS_MAX).map((tag) => rowTag(tag, onTag)),
      more > 0 ? h("span", { class: "row-more" }, `+${more}`) : undefined,
    ),
    h("span", { class: "row-payload" }, h("bdi", {}, visibleLine(event.payload.slice(0, CHARACTERS_MAX)))),
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
