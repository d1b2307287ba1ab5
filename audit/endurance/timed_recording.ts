import { Histogram } from "../../bench/histogram.ts";
import { type Answered, HistoryRecorder, type Intent } from "../history/record.ts";

/** A recorder that also measures the duration of each act. */
export class TimedRecorder extends HistoryRecorder {
  readonly #begun = new Map<number, number>();
  #latencies = new Histogram();

  override intend(...args: Parameters<HistoryRecorder["intend"]>): Intent {
    const intent = super.intend(...args);
    this.#begun.set(intent.id, performance.now());
    return intent;
  }

  override tell(told: Answered): void {
    this.#latencies.add(performance.now() - this.#begun.get(told.id)!);
    this.#begun.delete(told.id);
    super.tell(told);
  }

  takeLatencies(): Histogram {
    const latencies = this.#latencies;
    this.#latencies = new Histogram();
    return latencies;
  }
}
