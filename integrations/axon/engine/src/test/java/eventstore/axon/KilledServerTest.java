package eventstore.axon;

import static eventstore.axon.TestServer.append;
import static eventstore.axon.TestServer.event;
import static eventstore.axon.TestServer.soon;
import static eventstore.axon.TestServer.source;
import static eventstore.axon.TestServer.text;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.axonframework.eventsourcing.eventstore.AppendCondition;
import org.axonframework.eventsourcing.eventstore.AppendEventsTransactionRejectedException;
import org.axonframework.eventsourcing.eventstore.ConsistencyMarker;
import org.axonframework.messaging.core.MessageStream;
import org.axonframework.messaging.core.MessageStream.Entry;
import org.axonframework.messaging.eventhandling.EventMessage;
import org.axonframework.messaging.eventstreaming.EventCriteria;
import org.axonframework.messaging.eventstreaming.StreamingCondition;
import org.axonframework.messaging.eventstreaming.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** A server that is killed and started again, again and again, while clients decide and follow. */
@EnabledIfEnvironmentVariable(named = "EVENTSTORE_TEST_KILLED_URL", matches = ".+")
class KilledServerTest {

  private static final int COUNTERS = 3;
  private static final int CLIENTS_PER_COUNTER = 2;
  /** The test that starts Maven kills the server three times before the store has this many events. */
  private static final int EVENTS_PER_COUNTER = 50;

  private final EventStoreSettings settings = TestServer.settings("EVENTSTORE_TEST_KILLED_URL")
      .withRetryTime(Duration.ofSeconds(60)).withEventsPerPage(50);

  /** Decides until the counter is full: each event has the number of events before it. @return its own numbers */
  private List<Integer> count(EventStoreStorageEngine engine, Tag counter) throws Exception {
    List<Integer> own = new ArrayList<>();
    for (;;) {
      List<Entry<EventMessage>> read = source(engine, counter);
      int number = read.size() - 1;
      if (number == EVENTS_PER_COUNTER) {
        return own;
      }
      ConsistencyMarker marker = read.getLast().getResource(ConsistencyMarker.RESOURCE_KEY);
      AppendCondition anyNew = AppendCondition.withCriteria(EventCriteria.havingTags(counter));
      try {
        append(engine, anyNew.withMarker(marker), event(String.valueOf(number), counter)).get();
        own.add(number);
      } catch (ExecutionException e) {
        assertThat(e.getCause()).isInstanceOf(AppendEventsTransactionRejectedException.class);
      }
    }
  }

  @Test
  void losesNothingAndWritesNothingTwice() throws Exception {
    try (var connection = new EventStoreConnection(settings);
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      EventStoreStorageEngine engine = TestServer.engine(connection);
      var following = StreamingCondition.startingFrom(engine.latestToken(null).get());
      MessageStream<EventMessage> stream = engine.stream(following, null);
      List<Callable<List<Integer>>> clients = IntStream.range(0, COUNTERS * CLIENTS_PER_COUNTER)
          .<Callable<List<Integer>>>mapToObj(i -> () -> count(engine, counter(i))).toList();
      List<Future<List<Integer>>> counting = clients.stream().map(threads::submit).toList();

      List<String> followed = new ArrayList<>();
      soon().atMost(Duration.ofSeconds(120)).until(() -> {
        stream.error().ifPresent(e -> {
          throw new AssertionError(e);
        });
        while (stream.hasNextAvailable()) {
          followed.add(tagged(stream.next().orElseThrow()));
        }
        return followed.size() >= COUNTERS * EVENTS_PER_COUNTER;
      });

      for (int counter = 0; counter < COUNTERS; counter++) {
        List<Integer> all = IntStream.range(0, EVENTS_PER_COUNTER).boxed().toList();
        List<Integer> acknowledged = new ArrayList<>();
        for (int i = counter; i < counting.size(); i += COUNTERS) {
          acknowledged.addAll(counting.get(i).get());
        }
        List<String> expected = all.stream().map(String::valueOf).toList();
        assertThat(acknowledged).containsExactlyInAnyOrderElementsOf(all);
        assertThat(source(engine, counter(counter)).subList(0, EVENTS_PER_COUNTER))
            .map(TestServer::text).isEqualTo(expected);
        String tag = counter(counter).value() + " ";
        assertThat(followed).filteredOn(text -> text.startsWith(tag))
            .isEqualTo(expected.stream().map(tag::concat).toList());
      }
      stream.close();
    }
  }

  private static Tag counter(int client) {
    return new Tag("counter", String.valueOf(client % COUNTERS));
  }

  private static String tagged(Entry<EventMessage> entry) {
    return entry.getResource(Tag.RESOURCE_KEY).iterator().next().value() + " " + text(entry);
  }
}
