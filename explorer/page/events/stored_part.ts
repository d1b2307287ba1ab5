import type { App } from "../frame/app.ts";
import { type Child, h, replace } from "../parts/dom.ts";
import { button, fact } from "../parts/parts.ts";
import { payloadView } from "../parts/payload_view.ts";
import { visibleLine } from "../parts/visible_text.ts";
import { provedRoot } from "../proof/event_proof.ts";
import { forgottenText, type StoredEvent } from "../store/stored_event.ts";
import { storedText } from "./stored_text.ts";

/*
 * The parts of an open event in a store with subjects.
 */

/** A payload that was forgotten. */
export function forgottenPart(names: readonly string[]): HTMLElement {
  const text = visibleLine(forgottenText({ forgotten: names })!);
  const keys = `The key of ${
    names.join(" and of ")
  } was destroyed, so nothing can read this payload any more.`;
  return h(
    "section",
    { "class": "payload-part", "aria-label": "Payload" },
    h("div", { class: "part-head" }, h("h3", {}, "Payload"), h("span", { class: "badge warn" }, "forgotten")),
    h(
      "pre",
      { "class": "payload", "tabindex": 0, "aria-label": "payload" },
      h("span", { class: "quiet" }, text),
    ),
    h("p", { class: "quiet" }, visibleLine(keys), " The rest of the event stays."),
  );
}

/** How the event is stored, and the proof that a root covers it: on request, and if the token allows it. */
export function storedPart(app: App, event: StoredEvent, signal: AbortSignal): HTMLElement | undefined {
  // A root covers all events, so it needs a token that sees them.
  if (app.subjects.length === 0 || !app.seesAll) return undefined;
  const stored = h("div", { class: "stored-result", role: "status" });
  const proof = h("div", { class: "stored-result", role: "status" });
  const show = (part: HTMLElement, read: () => Promise<readonly Child[]>) => async (): Promise<void> => {
    replace(part, h("p", { class: "quiet" }, "Reading \u2026"));
    try {
      replace(part, ...await read());
    } catch (error) {
      if (!signal.aborted) replace(part, h("p", { class: "problem" }, visibleLine((error as Error).message)));
    }
  };
  const asStored = button("As stored", show(stored, () => readStored(app, event, signal)));
  const prove = button("Prove", show(proof, () => readProof(app, event, signal)), {
    title: "Check that the root of the store covers this event",
  });
  return h(
    "section",
    { "class": "payload-part", "aria-label": "In the store" },
    h(
      "div",
      { class: "part-head" },
      h("h3", {}, "In the store"),
      h("span", { class: "spring" }),
      app.may.includes("copy") ? asStored : undefined,
      prove,
    ),
    // The shorter result first, so that it is in sight.
    proof,
    stored,
  );
}

async function readStored(app: App, event: StoredEvent, signal: AbortSignal): Promise<Child[]> {
  const line = await app.calls.storedLine(event.sequence, signal);
  if (line === undefined) throw new Error("the store has no event with this sequence");
  return [
    h("p", {}, visibleLine(storedText(line, event, app.subjects))),
    payloadView(line, () => app.copy(line, "the stored line"), "Stored line"),
  ];
}

async function readProof(app: App, event: StoredEvent, signal: AbortSignal): Promise<Child[]> {
  const claim = await app.calls.proof(event.sequence, signal);
  const { storeId, head, root, path } = await provedRoot(claim, event);
  const digests = path.length === 1 ? "1 digest" : `${path.length} digests`;
  const text = `Covered by this root. This page computed it from the stored event and ${digests}.`;
  return [
    h("p", {}, h("span", { class: "badge good" }, "proved"), ` ${text}`),
    h(
      "dl",
      { class: "facts" },
      ...fact("Root", root),
      ...fact("Head", String(head)),
      ...fact("Store", visibleLine(storeId)),
    ),
    h(
      "div",
      { class: "panel-actions" },
      // The form that "eventstore-client verify --continues" takes.
      button("Copy root", () => app.copy(`${root}@${head}`, "the root with its head")),
    ),
  ];
}
