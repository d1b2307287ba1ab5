package eventstore.axon.tokens;

import static org.assertj.core.api.Assertions.assertThat;

import eventstore.axon.EventStoreConnection;
import eventstore.axon.EventStoreSettings;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.axonframework.conversion.json.JacksonConverter;
import org.axonframework.messaging.eventhandling.processing.streaming.segmenting.Segment;
import org.axonframework.messaging.eventhandling.processing.streaming.token.GlobalSequenceTrackingToken;
import org.axonframework.messaging.eventhandling.processing.streaming.token.TrackingToken;
import org.axonframework.messaging.eventhandling.processing.streaming.token.store.TokenStore;
import org.junit.jupiter.api.AfterEach;

/** Two processes, "a" and "b", with token stores on the same server. Each test has an event processor of its own. */
abstract class TokenStoreTest {

  static final Duration TIMEOUT = Duration.ofSeconds(10);

  final String processor = "orders/with spaces " + UUID.randomUUID();
  final AdjustableClock clock = new AdjustableClock();
  final EventStoreConnection connection = new EventStoreConnection(settings());
  final TokenStore a = storeOf("a", connection);
  final TokenStore b = storeOf("b", connection);

  static EventStoreSettings settings() {
    return settings(System.getenv("EVENTSTORE_TEST_URL"));
  }

  static EventStoreSettings settings(String url) {
    return EventStoreSettings.of(url).withRetryTime(Duration.ofSeconds(20));
  }

  TokenStore storeOf(String nodeId, EventStoreConnection of) {
    TokenStoreConfiguration configuration =
        TokenStoreConfiguration.defaults().nodeId(nodeId).claimTimeout(TIMEOUT).clock(clock);
    return new EventStoreTokenStore(of, new JacksonConverter(), configuration);
  }

  @AfterEach
  void close() {
    connection.close();
  }

  static TrackingToken token(long sequence) {
    return new GlobalSequenceTrackingToken(sequence);
  }

  static <T> T get(CompletableFuture<T> future) {
    return future.join();
  }

  void initialize(int segments) {
    get(a.initializeTokenSegments(processor, segments, token(0), null));
  }

  /** Checks the type of a failure, and returns its message. */
  static String failsWith(Class<? extends Throwable> type, CompletableFuture<?> future) {
    try {
      throw new AssertionError("it did not fail, but returned " + future.join());
    } catch (CompletionException e) {
      assertThat(e.getCause()).isInstanceOf(type);
      return e.getCause().getMessage();
    }
  }

  List<Integer> availableFor(TokenStore store) {
    return get(store.fetchAvailableSegments(processor, null)).stream().map(Segment::getSegmentId).toList();
  }

  /** A clock that a test moves. */
  static final class AdjustableClock extends Clock {

    private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");

    void advance(Duration time) {
      now = now.plus(time);
    }

    @Override
    public Instant instant() {
      return now;
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }
}
