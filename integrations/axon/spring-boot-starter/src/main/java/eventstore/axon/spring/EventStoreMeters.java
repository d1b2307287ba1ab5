package eventstore.axon.spring;

import eventstore.axon.RequestObserver;
import eventstore.axon.StoreRequest;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.Instant;

/** The meters of the event store. Their names begin with {@code eventstore.}. */
final class EventStoreMeters implements RequestObserver {

  private final MeterRegistry registry;
  private final Counter appended;
  private final Counter conflicts;
  private final Counter sourced;
  private final Counter streamed;
  private final Timer streamLag;

  EventStoreMeters(MeterRegistry registry) {
    this.registry = registry;
    this.appended = registry.counter("eventstore.events.appended");
    this.conflicts = registry.counter("eventstore.append.conflicts");
    this.sourced = registry.counter("eventstore.events.read", "by", "source");
    this.streamed = registry.counter("eventstore.events.read", "by", "stream");
    this.streamLag = registry.timer("eventstore.stream.lag");
  }

  void appended(int events) {
    appended.increment(events);
  }

  void conflicted() {
    conflicts.increment();
  }

  void sourced() {
    sourced.increment();
  }

  /** An event was handed to a stream's reader. Its age is how far the reader is behind. */
  void streamed(Instant timestamp) {
    streamed.increment();
    Duration age = Duration.between(timestamp, Instant.now());
    // The clock of the writer may be ahead.
    streamLag.record(age.isNegative() ? Duration.ZERO : age);
  }

  @Override
  public void finished(StoreRequest request, int status, Duration time) {
    // A read that waits for the next event takes as long as none comes.
    if (request.waitTime().isZero()) {
      registry.timer("eventstore.requests",
          "method", request.method(),
          "endpoint", endpointOf(request.path()),
          "status", status == 0 ? "none" : Integer.toString(status)).record(time);
    }
  }

  /** The first segment of the path: IDs as tags would make a series of each. */
  private static String endpointOf(String path) {
    return path.replaceFirst("^/([^/?]*).*$", "$1");
  }
}
