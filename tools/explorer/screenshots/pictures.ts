import type { Edition } from "../../../explorer/page/filter/query.ts";
import { DELIVERED_ORDER } from "./demo_store.ts";

export interface Size {
  /** The part of the picture's file name for this variant. */
  readonly suffix: string;
  readonly width: number;
  readonly height: number;
}

const WIDE: Size = { suffix: "", width: 1280, height: 760 };
const NARROW: Size = { suffix: "-narrow", width: 360, height: 740 };
const LARGE: Size = { suffix: "-large", width: 2000, height: 1100 };

export interface Picture {
  readonly name: string;
  readonly edition: Edition;
  readonly view: string;
  readonly sizes: readonly Size[];
  /** A JavaScript expression, true once the page is complete. */
  readonly ready: string;
  /** A script that acts as the user before the picture is taken. */
  readonly action?: string;
  readonly seconds?: number;
  /** True to take the picture while clients write. */
  readonly isBusy?: boolean;
}

/** The list and the timeline are drawn. */
const LISTED =
  'document.querySelectorAll(".row").length > 10 && document.querySelectorAll(".bar").length > 10';

const HAS_TILES = 'document.querySelectorAll(".tile").length > 3';

/** How long the drawings of the health view grow before their picture is taken. */
const HEALTH_SECONDS = 20;

export const PICTURES: readonly Picture[] = [
  {
    name: "events",
    edition: "A",
    view: "/events?type=OrderPlaced&tag=customer=ada&or=&type=OrderCancelled",
    sizes: [WIDE, NARROW, LARGE],
    ready: LISTED,
  },
  {
    name: "estimates",
    edition: "A",
    view: "/events?type=OrderPlaced&type=OrderShipped",
    sizes: [WIDE],
    ready: `${LISTED} && document.querySelector(".estimated") !== null`,
  },
  {
    name: "event",
    edition: "A",
    view: "/events?tag=customer=ada",
    sizes: [WIDE, NARROW],
    ready: LISTED,
    action: 'document.querySelectorAll(".row-sequence")[5].click()',
    seconds: 1,
  },
  {
    name: "trace",
    edition: "A",
    view: `/trace?trace=order=${DELIVERED_ORDER}`,
    sizes: [WIDE, NARROW],
    ready: 'document.querySelectorAll(".story-item").length > 3',
  },
  {
    name: "projections",
    edition: "A",
    view: `/projections?projection=order-summary&id=${DELIVERED_ORDER}`,
    sizes: [WIDE, NARROW],
    ready: 'document.querySelector(".json-key") !== null',
  },
  {
    name: "try",
    edition: "A",
    view: "/try",
    sizes: [WIDE, NARROW],
    ready: 'document.querySelectorAll(".try-part .strong").length === 2',
    action: 'document.querySelectorAll(".try-part .strong")[1].click()',
    seconds: 1,
  },
  {
    name: "health",
    edition: "A",
    view: "/health",
    sizes: [WIDE, NARROW, LARGE],
    ready: HAS_TILES,
    seconds: HEALTH_SECONDS,
    isBusy: true,
  },
  {
    name: "health-b",
    edition: "B",
    view: "/health",
    sizes: [WIDE, NARROW],
    ready: HAS_TILES,
    seconds: HEALTH_SECONDS,
    isBusy: true,
  },
  {
    name: "health-c",
    edition: "C",
    view: "/health",
    sizes: [WIDE, NARROW],
    ready: `${HAS_TILES} && document.body.innerText.includes("a ticket")`,
    seconds: HEALTH_SECONDS,
    isBusy: true,
  },
];
