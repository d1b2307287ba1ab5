package eventstore.axon.tokens;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import eventstore.axon.EventStoreConnection;
import java.time.Duration;
import org.axonframework.messaging.eventhandling.processing.streaming.segmenting.Segment;
import org.axonframework.messaging.eventhandling.processing.streaming.token.MergedTrackingToken;
import org.axonframework.messaging.eventhandling.processing.streaming.token.ReplayToken;
import org.axonframework.messaging.eventhandling.processing.streaming.token.TrackingToken;
import org.axonframework.messaging.eventhandling.processing.streaming.token.store.TokenStore;
import org.axonframework.messaging.eventhandling.processing.streaming.token.store.UnableToClaimTokenException;
import org.axonframework.messaging.eventhandling.processing.streaming.token.store.UnableToInitializeTokenException;
import org.axonframework.messaging.eventhandling.processing.streaming.token.store.UnableToRetrieveIdentifierException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** The rules of the interface, outside of processing contexts. */
@EnabledIfEnvironmentVariable(named = "EVENTSTORE_TEST_URL", matches = ".+")
class EventStoreTokenStoreTest extends TokenStoreTest {

  @Test
  void initializesSegmentsOnceWithoutClaimingThem() {
    assertThat(get(a.initializeTokenSegments(processor, 3, token(7), null)))
        .containsExactlyInAnyOrder(new Segment(0, 3), new Segment(1, 1), new Segment(2, 3));
    assertThat(get(b.fetchSegments(processor, null)))
        .containsExactly(new Segment(0, 3), new Segment(1, 1), new Segment(2, 3));
    assertThat(availableFor(b)).containsExactly(0, 1, 2);
    assertThat(get(b.fetchToken(processor, 2, null))).isEqualTo(token(7));
    for (TokenStore store : new TokenStore[] {a, b}) {
      assertThat(failsWith(UnableToClaimTokenException.class,
          store.initializeTokenSegments(processor, 8, token(0), null))).contains(processor);
    }
    assertThat(get(a.fetchSegments(processor, null))).hasSize(3);
  }

  @Test
  void initializesWithoutToken() {
    get(a.initializeTokenSegments(processor, 1, null, null));
    assertThat(get(a.fetchToken(processor, 0, null))).isNull();
    get(a.storeToken(token(3), processor, 0, null));
    get(a.storeToken(null, processor, 0, null));
    assertThat(get(a.fetchToken(processor, 0, null))).isNull();
  }

  @Test
  void knowsNoSegmentsOfAnotherProcessor() {
    initialize(2);
    assertThat(get(a.fetchSegments(processor + "x", null))).isEmpty();
    assertThat(get(a.fetchAvailableSegments(processor + "x", null))).isEmpty();
    assertThat(get(a.fetchSegment(processor, 2, null))).isNull();
    assertThat(get(a.fetchSegment(processor, 1, null))).isEqualTo(new Segment(1, 1));
  }

  @Test
  void storesTokensOfEveryKind() {
    initialize(1);
    get(a.fetchToken(processor, 0, null));
    TrackingToken merged = MergedTrackingToken.merged(token(3), token(9));
    for (TrackingToken each : new TrackingToken[] {
        token(Long.MAX_VALUE), merged, ReplayToken.createReplayToken(token(9), token(3))}) {
      get(a.storeToken(each, processor, 0, null));
      assertThat(get(a.fetchToken(processor, 0, null))).isEqualTo(each);
    }
  }

  @Test
  void doesNotFetchWhatWasNotInitialized() {
    initialize(1);
    assertThat(failsWith(UnableToClaimTokenException.class, a.fetchToken(processor, 1, null)))
        .contains("segment 1").contains(processor);
    failsWith(UnableToClaimTokenException.class, a.storeToken(token(1), processor, 1, null));
    failsWith(UnableToClaimTokenException.class, a.extendClaim(processor, 1, null));
  }

  @Test
  void keepsOthersFromAClaimedSegment() {
    initialize(2);
    get(a.fetchToken(processor, 0, null));
    assertThat(availableFor(a)).containsExactly(0, 1);
    assertThat(availableFor(b)).containsExactly(1);
    assertThat(failsWith(UnableToClaimTokenException.class, b.fetchToken(processor, 0, null)))
        .contains("by a");
    failsWith(UnableToClaimTokenException.class, b.storeToken(token(5), processor, 0, null));
    failsWith(UnableToClaimTokenException.class, b.extendClaim(processor, 0, null));
    failsWith(UnableToClaimTokenException.class, b.deleteToken(processor, 0, null));
    get(b.releaseClaim(processor, 0, null));
    get(a.storeToken(token(1), processor, 0, null));
    assertThat(get(a.fetchToken(processor, 0, null))).isEqualTo(token(1));
  }

  @Test
  void storesOnlyWhatItHasClaimed() {
    initialize(1);
    failsWith(UnableToClaimTokenException.class, a.storeToken(token(1), processor, 0, null));
  }

  @Test
  void letsOthersClaimAReleasedSegment() {
    initialize(1);
    get(a.fetchToken(processor, 0, null));
    get(a.storeToken(token(4), processor, 0, null));
    get(a.releaseClaim(processor, 0, null));
    get(a.releaseClaim(processor, 0, null));
    assertThat(get(b.fetchToken(processor, 0, null))).isEqualTo(token(4));
    failsWith(UnableToClaimTokenException.class, a.storeToken(token(5), processor, 0, null));
    failsWith(UnableToClaimTokenException.class, a.deleteToken(processor, 0, null));
  }

  @Test
  void letsOthersTakeASegmentAfterTheTimeout() {
    initialize(1);
    get(a.fetchToken(processor, 0, null));
    clock.advance(TIMEOUT);
    assertThat(availableFor(b)).isEmpty();
    get(a.extendClaim(processor, 0, null));
    clock.advance(TIMEOUT);
    assertThat(availableFor(b)).isEmpty();
    get(a.storeToken(token(1), processor, 0, null));
    clock.advance(TIMEOUT);
    failsWith(UnableToClaimTokenException.class, b.fetchToken(processor, 0, null));
    clock.advance(Duration.ofMillis(1));
    assertThat(availableFor(b)).containsExactly(0);
    assertThat(get(b.fetchToken(processor, 0, null))).isEqualTo(token(1));
  }

  @Test
  void storesNothingAfterItsClaimWasTaken() {
    initialize(1);
    get(a.fetchToken(processor, 0, null));
    clock.advance(TIMEOUT.plusMillis(1));
    get(b.fetchToken(processor, 0, null));
    get(b.storeToken(token(9), processor, 0, null));
    get(b.releaseClaim(processor, 0, null));
    // The segment is free now, but what "a" stores is from the time before.
    assertThat(failsWith(UnableToClaimTokenException.class, a.storeToken(token(1), processor, 0, null)))
        .contains("lost its claim of segment 0");
    failsWith(UnableToClaimTokenException.class, a.storeToken(token(2), processor, 0, null));
    get(a.releaseClaim(processor, 0, null));
    assertThat(get(a.fetchToken(processor, 0, null))).isEqualTo(token(9));
    get(a.storeToken(token(10), processor, 0, null));
    assertThat(get(a.fetchToken(processor, 0, null))).isEqualTo(token(10));
  }

  @Test
  void initializesASegmentUnlessItExists() {
    initialize(1);
    get(a.initializeSegment(token(5), processor, new Segment(1, 1), null));
    assertThat(availableFor(b)).containsExactly(0, 1);
    assertThat(get(b.fetchToken(processor, 1, null))).isEqualTo(token(5));
    for (TokenStore store : new TokenStore[] {a, b}) {
      failsWith(UnableToInitializeTokenException.class,
          store.initializeSegment(token(6), processor, new Segment(1, 1), null));
    }
    assertThat(get(b.fetchToken(processor, 1, null))).isEqualTo(token(5));
  }

  @Test
  void deletesWhatItHasClaimed() {
    initialize(2);
    failsWith(UnableToClaimTokenException.class, a.deleteToken(processor, 1, null));
    get(a.fetchToken(processor, 1, null));
    get(a.deleteToken(processor, 1, null));
    assertThat(get(a.fetchSegments(processor, null))).containsExactly(new Segment(0, 1));
    failsWith(UnableToClaimTokenException.class, a.fetchToken(processor, 1, null));
    failsWith(UnableToClaimTokenException.class, a.deleteToken(processor, 1, null));
  }

  @Test
  void doesNotClaimASegmentThatWasSplitMeanwhile() {
    initialize(2);
    assertThat(failsWith(UnableToClaimTokenException.class, a.fetchToken(processor, new Segment(1, 3), null)))
        .contains("split or merged");
    assertThat(availableFor(b)).containsExactly(0, 1);
    assertThat(get(a.fetchToken(processor, new Segment(1, 1), null))).isEqualTo(token(0));
  }

  @Test
  void isIdentifiedByTheStore() {
    String id = get(a.retrieveStorageIdentifier(null));
    assertThat(id).matches("[0-9a-f-]{36}").isEqualTo(get(b.retrieveStorageIdentifier(null)));
    var settings = settings("http://127.0.0.1:1").withRetryTime(Duration.ZERO);
    try (var unreachable = new EventStoreConnection(settings)) {
      assertThat(failsWith(UnableToRetrieveIdentifierException.class,
          storeOf("c", unreachable).retrieveStorageIdentifier(null))).contains("http://127.0.0.1:1");
    }
  }

  @Test
  void rejectsBadSettings() {
    TokenStoreConfiguration good = TokenStoreConfiguration.defaults();
    assertThat(good.nodeId()).isNotEqualTo(TokenStoreConfiguration.defaults().nodeId());
    assertThatIllegalArgumentException().isThrownBy(() -> good.claimTimeout(Duration.ZERO))
        .withMessageStartingWith("claimTimeout");
    assertThatIllegalArgumentException().isThrownBy(() -> good.nodeId(" ")).withMessageStartingWith("nodeId");
    assertThatIllegalArgumentException().isThrownBy(() -> good.clock(null)).withMessageStartingWith("clock");
    assertThat(failsWith(IllegalArgumentException.class, a.initializeTokenSegments(processor, 0, null, null)))
        .contains("segmentCount must be at least 1, not 0");
  }
}
