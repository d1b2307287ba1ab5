import assert from "node:assert/strict";
import { type Prometheus, readMonitoring, type Series } from "./prometheus.ts";

interface Dashboard {
  readonly panels: readonly {
    readonly type: string;
    readonly title: string;
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
}

/** An expression of a panel. */
export interface Shown {
  readonly title: string;
  /** The editions that the row of the panel is about; undefined for backups. */
  readonly editions: string | undefined;
  readonly expression: string;
  /** Labels that the legend names. */
  readonly labels: readonly string[];
}

/** Every expression of the dashboard, as Grafana would send it for all servers. */
export function shownByDashboard(): Shown[] {
  const dashboard = JSON.parse(readMonitoring("dashboard.json")) as Dashboard;
  assert.deepEqual(dashboard.templating.list.map(({ name }) => name), ["datasource", "instance"]);
  let editions: string | undefined;
  return dashboard.panels.flatMap(({ type, title, targets = [] }) => {
    if (type === "row") editions = editionsOf(title);
    return targets.map(({ expr, legendFormat }) => {
      const expression = expr.replaceAll("$instance", ".*").replaceAll("$__rate_interval", "1m");
      assert.doesNotMatch(expression, /\$/, `${title}: an unknown variable`);
      const labels = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!);
      return { title, editions, expression, labels };
    });
  });
}

/** The editions that the title of a row names. */
function editionsOf(row: string): string | undefined {
  if (row.startsWith("Every edition")) return "ABC";
  return /^Editions? ([ABC])(?: and ([ABC]))?/.exec(row)?.slice(1).join("");
}

/** The series that the panels of this title show of one server. A title may occur once for each edition. */
export async function shownOf(prometheus: Prometheus, title: string, instance: string): Promise<Series[]> {
  const expressions = shownByDashboard().filter((shown) => shown.title === title);
  assert.notEqual(expressions.length, 0, `there is no panel ${title}`);
  const found = await Promise.all(expressions.map(({ expression }) => prometheus.query(expression)));
  return found.flat().filter(({ metric }) => metric["instance"] === instance);
}
