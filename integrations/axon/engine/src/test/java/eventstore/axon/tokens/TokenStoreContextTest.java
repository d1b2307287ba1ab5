package eventstore.axon.tokens;

import static org.assertj.core.api.Assertions.assertThat;

import eventstore.axon.EventStoreConnection;
import eventstore.axon.LossyProxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.axonframework.messaging.core.EmptyApplicationContext;
import org.axonframework.messaging.core.unitofwork.ProcessingContext;
import org.axonframework.messaging.core.unitofwork.SimpleUnitOfWorkFactory;
import org.axonframework.messaging.core.unitofwork.UnitOfWork;
import org.axonframework.messaging.eventhandling.processing.streaming.segmenting.Segment;
import org.axonframework.messaging.eventhandling.processing.streaming.token.TrackingToken;
import org.axonframework.messaging.eventhandling.processing.streaming.token.store.TokenStore;
import org.axonframework.messaging.eventhandling.processing.streaming.token.store.UnableToClaimTokenException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Changes in processing contexts, lost answers and threads that store at the same time. */
@EnabledIfEnvironmentVariable(named = "EVENTSTORE_TEST_URL", matches = ".+")
class TokenStoreContextTest extends TokenStoreTest {

  private static UnitOfWork unit() {
    return new SimpleUnitOfWorkFactory(EmptyApplicationContext.INSTANCE).create();
  }

  private static <T> CompletableFuture<T> inUnit(Function<ProcessingContext, CompletableFuture<T>> work) {
    return unit().executeWithResult(work);
  }

  @Test
  void storesTheTokenAfterTheCommitOfTheHandlers() {
    initialize(1);
    get(a.fetchToken(processor, 0, null));
    List<TrackingToken> seen = new ArrayList<>();
    UnitOfWork unit = unit();
    unit.onPrepareCommit(context -> a.storeToken(token(5), processor, 0, context));
    unit.runOnCommit(context -> seen.add(get(a.fetchToken(processor, 0, null))));
    unit.runOnAfterCommit(context -> seen.add(get(a.fetchToken(processor, 0, null))));
    get(unit.execute());
    assertThat(seen).containsExactly(token(0), token(5));
  }

  @Test
  void storesNothingIfTheHandlersFail() {
    initialize(1);
    get(a.fetchToken(processor, 0, null));
    UnitOfWork unit = unit();
    unit.onPrepareCommit(context -> a.storeToken(token(5), processor, 0, context));
    unit.runOnCommit(context -> {
      throw new IllegalStateException("the database of the handler is down");
    });
    failsWith(IllegalStateException.class, unit.execute());
    assertThat(get(a.fetchToken(processor, 0, null))).isEqualTo(token(0));
  }

  @Test
  void failsTheUnitOfWorkIfTheClaimWasTaken() {
    initialize(1);
    get(a.fetchToken(processor, 0, null));
    AtomicReference<String> afterCommit = new AtomicReference<>("did not run");
    UnitOfWork unit = unit();
    unit.onPrepareCommit(context -> a.storeToken(token(5), processor, 0, context));
    unit.runOnCommit(context -> {
      clock.advance(TIMEOUT.plusMillis(1));
      get(b.fetchToken(processor, 0, null));
    });
    unit.runOnAfterCommit(context -> afterCommit.set("ran"));
    assertThat(failsWith(UnableToClaimTokenException.class, unit.execute())).contains("to b");
    assertThat(afterCommit).hasValue("did not run");
    assertThat(get(b.fetchToken(processor, 0, null))).isEqualTo(token(0));
  }

  @Test
  void storesAtOnceAfterTheCommit() {
    initialize(1);
    get(a.fetchToken(processor, 0, null));
    UnitOfWork unit = unit();
    unit.onPrepareCommit(context -> a.storeToken(token(5), processor, 0, context));
    unit.onAfterCommit(context -> a.storeToken(token(6), processor, 0, context));
    get(unit.execute());
    assertThat(get(a.fetchToken(processor, 0, null))).isEqualTo(token(6));
    UnitOfWork late = unit();
    late.onAfterCommit(context -> a.storeToken(token(7), processor, 0, context));
    get(late.execute());
    assertThat(get(a.fetchToken(processor, 0, null))).isEqualTo(token(7));
  }

  /** The steps in which the framework splits a segment. */
  private CompletableFuture<Void> split(ProcessingContext context) {
    return a.fetchToken(processor, 0, context)
        .thenCompose(ignored -> a.initializeSegment(token(0), processor, new Segment(1, 1), context))
        .thenCompose(ignored -> a.releaseClaim(processor, 0, context))
        .thenCompose(ignored -> a.deleteToken(processor, 0, context))
        .thenCompose(ignored -> a.initializeSegment(token(0), processor, new Segment(0, 1), context));
  }

  @Test
  void splitsAndMergesAllOrNothing() {
    initialize(1);
    failsWith(IllegalStateException.class, inUnit(context -> split(context).thenRun(() -> {
      throw new IllegalStateException("the process ends here");
    })));
    assertThat(get(b.fetchSegments(processor, null))).containsExactly(Segment.ROOT_SEGMENT);
    get(inUnit(this::split));
    assertThat(get(b.fetchSegments(processor, null))).containsExactly(new Segment(0, 1), new Segment(1, 1));
    assertThat(availableFor(b)).containsExactly(0, 1);
    get(a.fetchToken(processor, 0, null));
    get(a.fetchToken(processor, 1, null));
    get(inUnit(context -> a.deleteToken(processor, 0, context)
        .thenCompose(ignored -> a.deleteToken(processor, 1, context))
        .thenCompose(ignored -> a.initializeSegment(token(8), processor, Segment.ROOT_SEGMENT, context))
        .thenCompose(ignored -> a.releaseClaim(processor, 0, context))));
    assertThat(get(b.fetchSegments(processor, null))).containsExactly(Segment.ROOT_SEGMENT);
    assertThat(get(b.fetchToken(processor, 0, null))).isEqualTo(token(8));
  }

  @Test
  void claimsWhatTheSameContextHasInitialized() {
    get(inUnit(context -> a.initializeSegment(token(3), processor, Segment.ROOT_SEGMENT, context)
        .thenCompose(ignored -> a.fetchToken(processor, 0, context))
        .thenAccept(token -> assertThat(token).isEqualTo(token(3)))
        .thenCompose(ignored -> a.storeToken(token(4), processor, 0, context))));
    failsWith(UnableToClaimTokenException.class, b.fetchToken(processor, 0, null));
    get(a.storeToken(token(5), processor, 0, null));
    assertThat(get(a.fetchToken(processor, 0, null))).isEqualTo(token(5));
  }

  @Test
  void recognizesItsWritesWhenAnswersAreLost() throws Exception {
    AtomicInteger toLose = new AtomicInteger();
    try (var proxy = new LossyProxy(
            settings().url(), request -> toLose.getAndUpdate(n -> Math.max(0, n - 1)) > 0);
        var unsteady = new EventStoreConnection(settings(proxy.url()))) {
      TokenStore store = storeOf("a", unsteady);
      toLose.set(1);
      // The first answer is that of the list of segments, the second that of the write.
      get(store.initializeTokenSegments(processor, 2, token(0), null));
      toLose.set(2);
      get(store.fetchToken(processor, 0, null));
      for (long sequence = 1; sequence <= 5; sequence++) {
        toLose.set(2);
        get(store.storeToken(token(sequence), processor, 0, null));
        toLose.set(1);
        get(store.extendClaim(processor, 0, null));
      }
      toLose.set(1);
      get(store.releaseClaim(processor, 0, null));
      assertThat(proxy.lost()).hasSize(19);
    }
    assertThat(get(b.fetchToken(processor, 0, null))).isEqualTo(token(5));
    get(b.deleteToken(processor, 0, null));
  }

  @Test
  void storesAndExtendsAtTheSameTime() {
    initialize(1);
    get(a.fetchToken(processor, 0, null));
    List<CompletableFuture<Void>> all = new ArrayList<>();
    IntStream.rangeClosed(1, 4).forEach(thread -> all.add(CompletableFuture.runAsync(() -> {
      for (int i = 0; i < 5; i++) {
        get(thread == 1 ? a.storeToken(token(i), processor, 0, null) : a.extendClaim(processor, 0, null));
      }
    }, task -> Thread.ofPlatform().start(task))));
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();
    assertThat(get(a.fetchToken(processor, 0, null))).isEqualTo(token(4));
  }

  @Test
  void givesASegmentToOneOfManyProcesses() {
    initialize(1);
    List<String> winners = IntStream.range(0, 8).parallel().mapToObj(i -> {
      try {
        get(storeOf("node " + i, connection).fetchToken(processor, 0, null));
        return "node " + i;
      } catch (CompletionException e) {
        assertThat(e.getCause()).isInstanceOf(UnableToClaimTokenException.class);
        return "";
      }
    }).filter(name -> !name.isEmpty()).toList();
    assertThat(winners).hasSize(1);
    assertThat(failsWith(UnableToClaimTokenException.class, b.fetchToken(processor, 0, null)))
        .endsWith("by " + winners.getFirst());
  }
}
