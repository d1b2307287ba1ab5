import { counter, metricText } from "../metrics/exposition.ts";
import { Histogram } from "../metrics/histogram.ts";
import type { Route } from "./router.ts";

/** Few, since there is a series for each of them, each route and each class of statuses. */
const BOUNDS_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60];

/** Of a request that found no route: an unknown path, a wrong method, no token. Clients must not make up series. */
const NO_ROUTE = 'method="other",route="other"';

/** The durations of the requests of one route, by the class of their statuses: at 2 those from 200 to 299. */
type Classes = (Histogram | undefined)[];

/** Those that occur. They are shown from the start: a rate begins with the second value of a series. */
const STATUS_CLASSES = [2, 4, 5];

/** What `/metrics` counts of requests since startup. */
export class RequestMetrics {
  /** By class of status. */
  readonly #ended = [0, 0, 0, 0, 0, 0];
  /** By the names of routes. */
  readonly #classes = new Map<string, Classes>();
  /** The same, found faster. */
  readonly #classesOfRoutes = new WeakMap<Route, Classes>();
  #malformed = 0;

  /**
   * Counts a request that has been answered, or will not be.
   * @param started when it began, in milliseconds of `performance.now()`
   */
  ended(route: Route | undefined, status: number, started: number): void {
    const statusClass = Math.trunc(status / 100);
    this.#ended[statusClass]!++;
    const durations = this.#classesOf(route)[statusClass] ??= new Histogram(BOUNDS_SECONDS);
    durations.observe((performance.now() - started) / 1000);
  }

  /** Counts what was rejected since it was no valid request. */
  malformed(): void {
    this.#malformed++;
  }

  /** The metrics of requests. */
  text(): string {
    const samples = [...this.#classes].flatMap(([labels, classes]) =>
      // A class that did not occur is not there at all.
      classes.flatMap((durations, i) => durations!.samples(`${labels},status="${i}xx"`))
    );
    return [
      metricText(
        "service_requests_total",
        "counter",
        "Requests by the class of their statuses.",
        STATUS_CLASSES.map((i) => ({ labels: `status="${i}xx"`, value: this.#ended[i]! })),
      ),
      metricText(
        "service_request_duration_seconds",
        "histogram",
        "How long requests took until the last of the response was handed to the connection.",
        samples,
      ),
      counter(
        "service_requests_malformed_total",
        "Requests rejected because they were not valid HTTP.",
        this.#malformed,
      ),
    ].join("");
  }

  #classesOf(route: Route | undefined): Classes {
    const known = route && this.#classesOfRoutes.get(route);
    if (known !== undefined) return known;
    const labels = labelsOf(route);
    const classes = this.#classes.get(labels) ?? [];
    this.#classes.set(labels, classes);
    if (route !== undefined) this.#classesOfRoutes.set(route, classes);
    return classes;
  }
}

function labelsOf(route: Route | undefined): string {
  return route === undefined ? NO_ROUTE : `method="${route.method}",route="${route.path}"`;
}
