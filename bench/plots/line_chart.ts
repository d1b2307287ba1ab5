import { element, type Markup } from "./svg.ts";
import { Scale } from "./scale.ts";

export interface Series {
  readonly name: string;
  /** One value for each label of the x axis; undefined where there is none. */
  readonly values: readonly (number | undefined)[];
}

export interface LineChart {
  readonly title: string;
  readonly xTitle: string;
  readonly yTitle: string;
  readonly xLabels: readonly string[];
  /** At most as many as there are colours. */
  readonly series: readonly Series[];
  readonly logarithmic?: boolean;
}

const WIDTH = 760;
const PLOT = { left: 70, right: 740, top: 44, bottom: 300 };
const LEGEND = { top: 362, lineHeight: 20, columns: 2 };

/** Readers with colour blindness can distinguish them, on white and on black. */
const COLOURS = ["#2f7ed8", "#d9772b", "#2a9d6f", "#b5539c", "#8a7f2c", "#7b6fd0"];

/** Without external fonts, style sheets or scripts. Dark if the reader's system is. */
const STYLE = `
.paper { fill: #ffffff; }
text { font: 13px system-ui, sans-serif; fill: #1f2328; }
.title { font-size: 15px; font-weight: 600; }
.grid { stroke: #d1d9e0; stroke-width: 1; }
.line { fill: none; stroke-width: 2.5; }
${COLOURS.map((colour, i) => `.s${i} { stroke: ${colour}; } .d${i} { fill: ${colour}; }`).join("\n")}
@media (prefers-color-scheme: dark) {
  .paper { fill: #0d1117; }
  text { fill: #e6edf3; }
  .grid { stroke: #3d444d; }
}
`;

/** A chart of lines over labels that are equally far apart, as an SVG document. */
export function lineChart(chart: LineChart): string {
  const { title, series, xLabels } = chart;
  if (series.length > COLOURS.length) throw new RangeError(`a chart of more than ${COLOURS.length} lines`);
  const values = series.flatMap(({ values }) => values.filter((value) => value !== undefined));
  const scale = new Scale(values, chart.logarithmic ?? false, PLOT.bottom, PLOT.top);
  const legendLines = Math.ceil(series.length / LEGEND.columns);
  const height = LEGEND.top + legendLines * LEGEND.lineHeight;
  const description = series.map(({ name, values }) =>
    `${name}: ${
      values.map((value, i) => value === undefined ? "" : `${xLabels[i]}: ${shown(value)}`).join(", ")
    }`
  ).join("; ");
  return element(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${WIDTH} ${height}`, role: "img" },
    element("title", {}, title),
    element("desc", {}, description),
    element("style", {}, STYLE),
    // The chart has its own background: the page may be dark even if the system is not.
    element("rect", { class: "paper", width: WIDTH, height }),
    element("text", { class: "title", x: PLOT.left, y: 22 }, title),
    ...axes(chart, scale),
    ...series.flatMap(({ values }, i) => lineOf(values, i, scale)),
    ...series.flatMap(({ name }, i) => legendOf(name, i)),
  ).markup + "\n";
}

function axes({ xTitle, yTitle, xLabels }: LineChart, scale: Scale): Markup[] {
  const middle = (PLOT.left + PLOT.right) / 2;
  return [
    element("text", { x: PLOT.left, y: PLOT.top - 6 }, yTitle),
    ...scale.ticks.flatMap((tick) => {
      const y = scale.at(tick);
      return [
        element("line", { class: "grid", x1: PLOT.left, x2: PLOT.right, y1: y, y2: y }),
        element("text", { x: PLOT.left - 8, y: y + 4, "text-anchor": "end" }, shown(tick)),
      ];
    }),
    ...xLabels.map((label, i) =>
      element("text", { x: xAt(i, xLabels.length), y: PLOT.bottom + 20, "text-anchor": "middle" }, label)
    ),
    element("text", { x: middle, y: PLOT.bottom + 42, "text-anchor": "middle" }, xTitle),
  ];
}

function xAt(i: number, count: number): number {
  return PLOT.left + (i + 0.5) * (PLOT.right - PLOT.left) / count;
}

/** A line through the existing values, and a dot at each of them. */
function lineOf(values: Series["values"], i: number, scale: Scale): Markup[] {
  const points = values.flatMap((value, label) =>
    value === undefined ? [] : [{ x: xAt(label, values.length), y: scale.at(value) }]
  );
  const path = points.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
  return [
    element("polyline", { class: `line s${i}`, points: path }),
    ...points.map(({ x, y }) => element("circle", { class: `d${i}`, cx: x, cy: y, r: 4 })),
  ];
}

function legendOf(name: string, i: number): Markup[] {
  const x = PLOT.left + i % LEGEND.columns * (PLOT.right - PLOT.left) / LEGEND.columns;
  const y = LEGEND.top + Math.floor(i / LEGEND.columns) * LEGEND.lineHeight;
  return [
    element("circle", { class: `d${i}`, cx: x + 5, cy: y - 4, r: 5 }),
    element("text", { x: x + 18, y }, name),
  ];
}

function shown(value: number): string {
  return value.toLocaleString("en", { maximumSignificantDigits: value < 1000 ? 3 : 5 });
}
