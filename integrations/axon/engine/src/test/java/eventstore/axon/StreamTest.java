package eventstore.axon;

import static eventstore.axon.TestServer.append;
import static eventstore.axon.TestServer.event;
import static eventstore.axon.TestServer.failureOf;
import static eventstore.axon.TestServer.soon;
import static eventstore.axon.TestServer.text;
import static eventstore.axon.TestServer.uniqueTag;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.axonframework.conversion.json.JacksonConverter;
import org.axonframework.eventsourcing.eventstore.AppendCondition;
import org.axonframework.eventsourcing.eventstore.SourcingCondition;
import org.axonframework.eventsourcing.eventstore.TaggedEventMessage;
import org.axonframework.messaging.core.MessageStream;
import org.axonframework.messaging.eventhandling.EventMessage;
import org.axonframework.messaging.eventhandling.processing.streaming.token.GapAwareTrackingToken;
import org.axonframework.messaging.eventhandling.processing.streaming.token.GlobalSequenceTrackingToken;
import org.axonframework.messaging.eventhandling.processing.streaming.token.ReplayToken;
import org.axonframework.messaging.eventhandling.processing.streaming.token.TrackingToken;
import org.axonframework.messaging.eventstreaming.EventCriteria;
import org.axonframework.messaging.eventstreaming.StreamingCondition;
import org.axonframework.messaging.eventstreaming.Tag;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

@EnabledIfEnvironmentVariable(named = "EVENTSTORE_TEST_URL", matches = ".+")
class StreamTest {

  private static final int EVENTS = 95;
  private static final int PER_PAGE = 10;

  private final EventStoreSettings settings =
      TestServer.settings("EVENTSTORE_TEST_URL").withEventsPerPage(PER_PAGE);
  private final EventStoreConnection connection = new EventStoreConnection(settings);
  private final EventStoreStorageEngine engine = TestServer.engine(connection);
  private final Tag tag = uniqueTag("course");
  private final EventCriteria criteria = EventCriteria.havingTags(tag);

  private final List<MessageStream<EventMessage>> opened = new ArrayList<>();

  @AfterEach
  void close() {
    opened.forEach(MessageStream::close);
    connection.close();
  }

  private void appendNumbers(int from, int to) throws Exception {
    TaggedEventMessage<?>[] events = IntStream.range(from, to)
        .mapToObj(i -> event(String.valueOf(i), tag)).toArray(TaggedEventMessage[]::new);
    append(engine, AppendCondition.none(), events).get();
  }

  private MessageStream<EventMessage> streamFrom(EventStoreStorageEngine from, TrackingToken token) {
    MessageStream<EventMessage> stream = from.stream(StreamingCondition.conditionFor(token, criteria), null);
    opened.add(stream);
    return stream;
  }

  private List<String> take(MessageStream<EventMessage> stream, int count) {
    List<String> taken = new ArrayList<>();
    soon().until(() -> {
      stream.error().ifPresent(e -> {
        throw new AssertionError(e);
      });
      while (taken.size() < count && stream.hasNextAvailable()) {
        taken.add(text(stream.next().orElseThrow()));
      }
      return taken.size() == count;
    });
    return taken;
  }

  private static List<String> numbers(int from, int to) {
    return IntStream.range(from, to).mapToObj(String::valueOf).toList();
  }

  private static Throwable errorOf(MessageStream<EventMessage> stream) {
    soon().until(() -> stream.error().isPresent());
    assertThat(stream.isCompleted()).isTrue();
    return stream.error().orElseThrow();
  }

  @Test
  void readsOnlyTwoPagesAhead() throws Exception {
    appendNumbers(0, EVENTS);
    try (var proxy = new LossyProxy(settings.url(), request -> false);
        var counted = new EventStoreConnection(
            EventStoreSettings.of(proxy.url()).withEventsPerPage(PER_PAGE))) {
      AtomicInteger calls = new AtomicInteger();
      var stream = streamFrom(TestServer.engine(counted), TrackingToken.FIRST);
      stream.setCallback(calls::incrementAndGet);
      soon().until(stream::hasNextAvailable);
      assertThat(stream.peek()).get().satisfies(entry -> assertThat(text(entry)).isEqualTo("0"));
      Thread.sleep(300);
      assertThat(proxy.requests()).hasSize(1);
      assertThat(take(stream, 1)).containsExactly("0");
      soon().until(() -> proxy.requests().size() == 2);
      assertThat(take(stream, PER_PAGE - 1)).isEqualTo(numbers(1, PER_PAGE));
      Thread.sleep(300);
      assertThat(proxy.requests()).hasSize(2);
      assertThat(take(stream, EVENTS - PER_PAGE)).isEqualTo(numbers(PER_PAGE, EVENTS));
      appendNumbers(EVENTS, EVENTS + 1);
      assertThat(take(stream, 1)).containsExactly(String.valueOf(EVENTS));
      assertThat(calls.get()).isPositive();
    }
  }

  @Test
  void losesAndRepeatsNoEventWhenConnectionsBreak() throws Exception {
    AtomicInteger reads = new AtomicInteger();
    try (var proxy = new LossyProxy(settings.url(), request -> reads.incrementAndGet() % 2 == 1);
        var lossy = new EventStoreConnection(
            EventStoreSettings.of(proxy.url()).withEventsPerPage(PER_PAGE))) {
      var stream = streamFrom(TestServer.engine(lossy), engine.latestToken(null).get());
      appendNumbers(0, EVENTS);
      assertThat(take(stream, EVENTS)).isEqualTo(numbers(0, EVENTS));
      assertThat(proxy.lost()).hasSizeGreaterThan(EVENTS / PER_PAGE);
    }
  }

  @Test
  void endsItsRequestWhenItIsClosed() throws Exception {
    TrackingToken latest = engine.latestToken(null).get();
    List<MessageStream<EventMessage>> streams =
        IntStream.range(0, 5).mapToObj(i -> streamFrom(engine, latest)).toList();
    soon().until(() -> readsInFlight() >= 5);
    int others = readsInFlight() - 5;
    streams.forEach(MessageStream::close);
    soon().until(() -> readsInFlight() <= others);
    assertThat(streams).allMatch(stream -> stream.isCompleted() && stream.error().isEmpty());
    appendNumbers(0, 1);
    assertThat(streams).noneMatch(MessageStream::hasNextAvailable);
  }

  private int readsInFlight() throws Exception {
    return connection.read(StoreRequest.get("/debug")).get().json().at("/read/httpOpen").asInt(-1);
  }

  @Test
  void failsWhenTheStoreIsReset() throws Exception {
    appendNumbers(0, 2);
    TrackingToken before = engine.latestToken(null).get();
    var waiting = streamFrom(engine, before);
    soon().until(() -> readsInFlight() > 0);
    TestServer.reset(connection);
    assertThat(errorOf(waiting)).isInstanceOf(StoreResetException.class)
        .hasMessageContaining(((StoreTrackingToken) before).getStoreId());
    assertThat(errorOf(streamFrom(engine, before))).isInstanceOf(StoreResetException.class)
        .hasMessageEndingWith("reset the tokens of the event processor");
    TrackingToken after = engine.latestToken(null).get();
    assertThatExceptionOfType(StoreResetException.class).isThrownBy(() -> before.covers(after));
    assertThatExceptionOfType(StoreResetException.class).isThrownBy(() -> before.lowerBound(after));
    assertThatExceptionOfType(StoreResetException.class).isThrownBy(() -> before.upperBound(after));
    appendNumbers(2, 3);
    assertThat(take(streamFrom(engine, engine.firstToken(null).get()), 1)).containsExactly("2");
  }

  @Test
  void failsWithoutAValidTokenOfTheServer() throws Exception {
    try (var other = new EventStoreConnection(TestServer.settings("EVENTSTORE_TEST_AUTH_URL"))) {
      EventStoreStorageEngine unauthorized = TestServer.engine(other);
      assertThat(errorOf(streamFrom(unauthorized, TrackingToken.FIRST)))
          .isInstanceOfSatisfying(StoreRequestException.class, e -> assertThat(e.status()).isEqualTo(401));
      assertThat(failureOf(unauthorized.source(SourcingCondition.conditionFor(criteria), null)
          .reduce(0, (count, entry) -> count + 1))).isInstanceOf(StoreRequestException.class);
      assertThat(failureOf(append(unauthorized, AppendCondition.none(), event("a", tag))))
          .isInstanceOf(StoreRequestException.class);
    }
  }

  @Test
  void beginsAtEveryKindOfToken() throws Exception {
    appendNumbers(0, 1);
    StoreTrackingToken latest = (StoreTrackingToken) engine.latestToken(null).get();
    var fromLatest = streamFrom(engine, TrackingToken.LATEST);
    // It begins at the end of the store once it knows it.
    Thread.sleep(500);
    appendNumbers(1, 2);
    assertThat(take(fromLatest, 1)).containsExactly("1");
    TrackingToken replay = ReplayToken.createReplayToken(engine.latestToken(null).get(), latest);
    TrackingToken plain = new GlobalSequenceTrackingToken(latest.getGlobalIndex());
    for (TrackingToken token : Set.of(latest, replay, plain)) {
      assertThat(take(streamFrom(engine, token), 1)).containsExactly("1");
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> streamFrom(engine, GapAwareTrackingToken.newInstance(1, List.of())))
        .withMessageContaining("a token of another engine");
  }

  @Test
  void keepsTheStoreInSavedTokens() throws Exception {
    StoreTrackingToken token = (StoreTrackingToken) engine.latestToken(null).get();
    JacksonConverter converter = new JacksonConverter();
    byte[] saved = converter.convert(token, byte[].class);
    assertThat((Object) converter.convert(saved, StoreTrackingToken.class)).isEqualTo(token);
    assertThat(token.position()).hasValue(token.getGlobalIndex());
    assertThat(token.covers(engine.firstToken(null).get())).isTrue();
    assertThat(token.next()).isNotEqualTo(token).isEqualTo(token.upperBound(token.next()));
  }

  @Test
  void findsThePositionOfATime() throws Exception {
    appendNumbers(0, 1);
    TrackingToken between = engine.latestToken(null).get();
    // The next event is at least a millisecond later than the one before.
    Thread.sleep(2);
    Instant time = Instant.parse(timeOfNext());
    assertThat(engine.tokenAt(time, null).get()).isEqualTo(between);
    assertThat(engine.tokenAt(time.plusNanos(1000), null).get()).isEqualTo(engine.latestToken(null).get());
    assertThat(engine.tokenAt(Instant.EPOCH, null).get().position()).hasValue(0);
    assertThat(failureOf(engine.tokenAt(Instant.MAX, null)))
        .isInstanceOf(StoreRequestException.class).hasMessageContaining("time");
  }

  private String timeOfNext() throws Exception {
    StoreAnswer written = connection.send(StoreRequest.write(TestServer.bytes("""
        {"events": [{"type": "Later", "payload": "{}"}]}"""))).get();
    return written.json().at("/events/0/time").asText();
  }
}
