import { Histogram } from "../../bench/histogram.ts";
import { type Answer, HistoryRecorder, type Intent } from "../history/record.ts";

/** A recorder that also measures the duration of each act. */
export class TimedRecorder extends HistoryRecorder {
  readonly #begun = new Map<number, number>();
  #latencies = new Histogram();

  override intend(...args: Parameters<HistoryRecorder["intend"]>): Intent {
    const intent = super.intend(...args);
    this.#begun.set(intent.id, performance.now());
    return intent;
  }

  override recordAnswer(answer: Answer): void {
    this.#latencies.add(performance.now() - this.#begun.get(answer.id)!);
    this.#begun.delete(answer.id);
    super.recordAnswer(answer);
  }

  takeLatencies(): Histogram {
    const latencies = this.#latencies;
    this.#latencies = new Histogram();
    return latencies;
  }
}
