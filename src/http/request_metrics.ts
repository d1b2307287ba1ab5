import { counter, metricText } from "../metrics/exposition.ts";
import { Histogram } from "../metrics/histogram.ts";
import type { Route } from "./router.ts";

/** A short list, since there is a series for each bound, each route and each class of statuses. */
const BOUNDS_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60];

/** Labels of requests without a route: an unknown path, a wrong method, no token. Clients must not create series. */
const NO_ROUTE = 'method="other",route="other"';

/** The durations of one route's requests, by the class of their statuses: index 2 holds those from 200 to 299. */
type Classes = (Histogram | undefined)[];

/** The classes that occur. Their series exist from the start, because a rate needs two values of a series. */
const STATUS_CLASSES = [2, 4, 5];

/** Request counts since startup, for `/metrics`. */
export class RequestMetrics {
  readonly #ended = [0, 0, 0, 0, 0, 0];
  /** Durations by the names of routes. */
  readonly #classes = new Map<string, Classes>();
  /** The same durations by route, which is a faster look-up. */
  readonly #classesOfRoutes = new WeakMap<Route, Classes>();
  /** Answers with an error, by their labels. */
  readonly #errors = new Map<string, number>();
  #malformed = 0;

  /**
   * Counts a request that has been answered, or that will get no reply.
   * @param started when it began, in milliseconds of `performance.now()`
   * @param code the error code of the answer
   */
  ended(route: Route | undefined, status: number, started: number, code?: string): void {
    const statusClass = Math.trunc(status / 100);
    this.#ended[statusClass]!++;
    const durations = this.#classesOf(route)[statusClass] ??= new Histogram(BOUNDS_SECONDS);
    durations.observe((performance.now() - started) / 1000);
    if (code === undefined) return;
    const labels = `code="${code}",${labelsOf(route)}`;
    this.#errors.set(labels, (this.#errors.get(labels) ?? 0) + 1);
  }

  /** Counts a request that was rejected because it was not valid HTTP. */
  malformed(): void {
    this.#malformed++;
  }

  text(): string {
    const samples = [...this.#classes].flatMap(([labels, classes]) =>
      // A class that did not occur has no entry.
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
      metricText(
        "service_request_errors_total",
        "counter",
        "Requests answered with an error, by its code.",
        [...this.#errors].map(([labels, value]) => ({ labels, value })),
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
