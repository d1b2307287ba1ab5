package eventstore.axon;

import static eventstore.axon.TestServer.append;
import static eventstore.axon.TestServer.event;
import static eventstore.axon.TestServer.failureOf;
import static eventstore.axon.TestServer.soon;
import static eventstore.axon.TestServer.source;
import static eventstore.axon.TestServer.text;
import static eventstore.axon.TestServer.uniqueTag;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.axonframework.eventsourcing.eventstore.AppendCondition;
import org.axonframework.eventsourcing.eventstore.AppendEventsTransactionRejectedException;
import org.axonframework.eventsourcing.eventstore.ConsistencyMarker;
import org.axonframework.eventsourcing.eventstore.EventStoreException;
import org.axonframework.eventsourcing.eventstore.GlobalIndexConsistencyMarker;
import org.axonframework.messaging.eventstreaming.EventCriteria;
import org.axonframework.messaging.eventstreaming.Tag;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Appends whose answers are lost, and transactions. */
@EnabledIfEnvironmentVariable(named = "EVENTSTORE_TEST_URL", matches = ".+")
class AppendTest {

  private final EventStoreSettings settings = TestServer.settings("EVENTSTORE_TEST_URL");
  private final EventStoreConnection connection = new EventStoreConnection(settings);
  private final EventStoreStorageEngine engine = TestServer.engine(connection);
  private final Tag tag = uniqueTag("course");
  private final AppendCondition onlyOnce = AppendCondition.withCriteria(EventCriteria.havingTags(tag));

  @AfterEach
  void close() {
    connection.close();
  }

  private interface Work {

    void run(EventStoreStorageEngine lossy, LossyProxy proxy) throws Exception;
  }

  private void withLosses(Predicate<String> loses, Duration retryTime, Work work) throws Exception {
    try (var proxy = new LossyProxy(settings.url(), loses);
        var lossy = new EventStoreConnection(EventStoreSettings.of(proxy.url()).withRetryTime(retryTime))) {
      work.run(TestServer.engine(lossy), proxy);
    }
  }

  private static Predicate<String> firstWrites(int count) {
    AtomicInteger writes = new AtomicInteger();
    return request -> request.equals("POST /write") && writes.getAndIncrement() < count;
  }

  @Test
  void writesOnceWhenAnswersAreLost() throws Exception {
    withLosses(firstWrites(2), Duration.ofSeconds(10), (lossy, proxy) -> {
      ConsistencyMarker marker =
          append(lossy, onlyOnce, event("a", tag), event("b", tag), event("c", tag)).get();
      assertThat(proxy.lost()).hasSize(2);
      assertThat(source(engine, tag).subList(0, 3)).map(TestServer::text).containsExactly("a", "b", "c");
      long last = engine.latestToken(null).get().position().orElseThrow();
      assertThat(marker).isEqualTo(new GlobalIndexConsistencyMarker(last));
      assertThat(source(lossy, tag)).hasSize(4);
    });
  }

  @Test
  void reportsAConflictAlsoWhenItsAnswerWasLost() throws Exception {
    append(engine, AppendCondition.none(), event("a", tag)).get();
    withLosses(firstWrites(1), Duration.ofSeconds(10), (lossy, proxy) -> {
      assertThat(failureOf(append(lossy, onlyOnce, event("b", tag))))
          .isInstanceOf(AppendEventsTransactionRejectedException.class);
      assertThat(proxy.lost()).hasSize(1);
    });
    assertThat(source(engine, tag)).hasSize(2);
  }

  @Test
  void doesNotTakeAnotherWriteForItsOwn() throws Exception {
    var first = event("a", tag);
    append(engine, AppendCondition.none(), first).get();
    withLosses(firstWrites(1), Duration.ofSeconds(10), (lossy, proxy) ->
        assertThat(failureOf(append(lossy, AppendCondition.none(), first, event("b", tag))))
            .isInstanceOf(EventStoreException.class).hasMessageContaining("already has an event"));
    assertThat(source(engine, tag)).hasSize(2);
  }

  @Test
  void saysThatTheOutcomeIsUnknownWhenEveryAnswerIsLost() throws Exception {
    withLosses(firstWrites(Integer.MAX_VALUE), Duration.ofMillis(200), (lossy, proxy) -> {
      assertThat(failureOf(append(lossy, onlyOnce, event("a", tag))))
          .isInstanceOf(OutcomeUnknownException.class).hasMessageContaining(proxy.url());
      assertThat(proxy.lost()).hasSizeGreaterThan(1);
    });
    assertThat(source(engine, tag)).hasSize(2);
  }

  @Test
  void saysThatTheOutcomeIsUnknownWhenTheServerIsGoneAfterwards() throws Exception {
    CompletableFuture<ConsistencyMarker> appended;
    var proxy = new LossyProxy(settings.url(), request -> true);
    var retried = EventStoreSettings.of(proxy.url()).withRetryTime(Duration.ofSeconds(1));
    try (var lossy = new EventStoreConnection(retried)) {
      appended = append(TestServer.engine(lossy), onlyOnce, event("a", tag));
      soon().until(() -> !proxy.lost().isEmpty());
      proxy.close();
      assertThat(failureOf(appended)).isInstanceOf(OutcomeUnknownException.class);
    }
  }

  @Test
  void checksAMarkerOfAnEarlierAppend() throws Exception {
    ConsistencyMarker first = append(engine, onlyOnce, event("a", tag)).get();
    ConsistencyMarker second = append(engine, onlyOnce.withMarker(first), event("b", tag)).get();
    assertThat(failureOf(append(engine, onlyOnce.withMarker(first), event("c", tag))))
        .isInstanceOf(AppendEventsTransactionRejectedException.class)
        .hasCauseInstanceOf(StoreConflictException.class);
    // An engine that had no contact with the store asks for its ID.
    append(TestServer.engine(connection), onlyOnce.withMarker(second), event("c", tag)).get();
    assertThat(source(engine, tag).subList(0, 3)).map(TestServer::text).containsExactly("a", "b", "c");
  }

  @Test
  void letsOneOfManyConcurrentAppendsWin() throws Exception {
    List<CompletableFuture<ConsistencyMarker>> appends = IntStream.range(0, 20)
        .mapToObj(i -> append(engine, onlyOnce, event("a" + i, tag))).toList();
    int failed = 0;
    for (CompletableFuture<ConsistencyMarker> each : appends) {
      if (each.handle((marker, failure) -> failure != null).get()) {
        assertThat(each.exceptionNow()).isInstanceOf(AppendEventsTransactionRejectedException.class);
        failed++;
      }
    }
    assertThat(failed).isEqualTo(19);
    assertThat(text(source(engine, tag).getFirst())).startsWith("a");
  }

  @Test
  void writesNothingAfterARollback() throws Exception {
    var transaction = engine.appendEvents(AppendCondition.none(), null, event("a", tag)).get();
    transaction.rollback(null);
    assertThat(failureOf(transaction.commit(null))).isInstanceOf(IllegalStateException.class);
    assertThat(source(engine, tag)).hasSize(1);
    assertThat(append(engine, onlyOnce).get()).isEqualTo(ConsistencyMarker.ORIGIN);
  }
}
