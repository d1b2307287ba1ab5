package eventstore.axon.tokens;

import eventstore.axon.EventStoreConnection;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.axonframework.conversion.Converter;
import org.axonframework.messaging.core.unitofwork.ProcessingContext;
import org.axonframework.messaging.eventhandling.processing.streaming.segmenting.Segment;
import org.axonframework.messaging.eventhandling.processing.streaming.token.TrackingToken;
import org.axonframework.messaging.eventhandling.processing.streaming.token.store.TokenStore;
import org.axonframework.messaging.eventhandling.processing.streaming.token.store.UnableToClaimTokenException;
import org.axonframework.messaging.eventhandling.processing.streaming.token.store.UnableToInitializeTokenException;
import org.axonframework.messaging.eventhandling.processing.streaming.token.store.UnableToRetrieveIdentifierException;

/**
 * Keeps the positions of event processors next to the events. A segment is a projection of the type
 * {@code axon-token:PROCESSOR}, and its ID is that of the segment.
 *
 * <p>Every write names the version of the projection that it changes. So a process whose claim was taken stores
 * nothing, however late it is. It must fetch the token again.
 *
 * <p>In a processing context, changes are written after its commit, all or nothing. Outside of one, they are written
 * at once. Claims are always written at once. Methods block until the server has answered.
 */
public final class EventStoreTokenStore implements TokenStore {
  private final TokenStoreConfiguration settings;
  private final TokenProjections projections;
  private final TokenWriter writer;

  /**
   * A token store on a connection.
   *
   * @param connection the connection to the event store, which remains open when the token store is dropped
   * @param converter converts tokens to and from bytes
   * @param settings the timeout of claims and the name of this process
   */
  public EventStoreTokenStore(
      EventStoreConnection connection, Converter converter, TokenStoreConfiguration settings) {
    this.settings = settings;
    this.projections = new TokenProjections(connection, new TokenCodec(converter));
    this.writer = new TokenWriter(projections);
  }

  @Override
  public CompletableFuture<List<Segment>> initializeTokenSegments(
      String processorName, int segmentCount, TrackingToken initialToken, ProcessingContext context) {
    return run(() -> {
      if (segmentCount < 1) {
        throw new IllegalArgumentException("segmentCount must be at least 1, not " + segmentCount);
      }
      if (!projections.segmentIds(processorName).isEmpty()) {
        throw alreadyThere(processorName, null);
      }
      List<Segment> segments = Segment.splitBalanced(Segment.ROOT_SEGMENT, segmentCount - 1);
      Map<SegmentKey, TokenChange> changes = new LinkedHashMap<>();
      for (Segment segment : segments) {
        changes.put(new SegmentKey(processorName, segment.getSegmentId()),
            new TokenChange(null, new TokenEntry(segment, initialToken, null)));
      }
      try {
        writer.write(changes);
      } catch (UnableToInitializeTokenException error) {
        throw alreadyThere(processorName, error);
      }
      return segments;
    });
  }

  @Override
  public CompletableFuture<Void> initializeSegment(
      TrackingToken token, String processorName, Segment segment, ProcessingContext context) {
    SegmentKey key = new SegmentKey(processorName, segment.getSegmentId());
    return run(() -> {
      TokenEntry entry = new TokenEntry(segment, token, null);
      PendingTokens pending = PendingTokens.of(context, writer);
      TokenChange planned = pending.get(key);
      boolean exists = planned != null ? planned.entry() != null : projections.read(key) != null;
      if (exists) {
        throw new UnableToInitializeTokenException(key + " exists already");
      }
      pending.put(key, new TokenChange(planned == null ? null : planned.claimId(), entry));
      return null;
    });
  }

  @Override
  public CompletableFuture<Void> storeToken(
      TrackingToken token, String processorName, int segmentId, ProcessingContext context) {
    SegmentKey key = new SegmentKey(processorName, segmentId);
    return run(() -> {
      PendingTokens pending = PendingTokens.of(context, writer);
      TokenEntry held = held(key, pending);
      pending.change(key, held, held.with(token));
      return null;
    });
  }

  @Override
  public CompletableFuture<TrackingToken> fetchToken(
      String processorName, int segmentId, ProcessingContext context) {
    return run(() -> fetch(new SegmentKey(processorName, segmentId), null, context).token());
  }

  @Override
  public CompletableFuture<TrackingToken> fetchToken(
      String processorName, Segment segment, ProcessingContext context) {
    return run(() -> fetch(new SegmentKey(processorName, segment.getSegmentId()), segment, context).token());
  }

  @Override
  public CompletableFuture<Void> extendClaim(String processorName, int segmentId, ProcessingContext context) {
    SegmentKey key = new SegmentKey(processorName, segmentId);
    return run(() -> {
      if (!writer.update(key, this::extended)) {
        claim(key, null);
      }
      return null;
    });
  }

  @Override
  public CompletableFuture<Void> releaseClaim(
      String processorName, int segmentId, ProcessingContext context) {
    SegmentKey key = new SegmentKey(processorName, segmentId);
    return run(() -> {
      PendingTokens pending = PendingTokens.of(context, writer);
      TokenChange planned = pending.get(key);
      TokenEntry entry = planned != null ? planned.entry() : writer.held(key);
      if (entry == null || entry.claim() == null) {
        return null;
      }
      pending.change(key, entry, entry.with((TokenEntry.Claim) null));
      return null;
    });
  }

  @Override
  public CompletableFuture<Void> deleteToken(String processorName, int segmentId, ProcessingContext context) {
    SegmentKey key = new SegmentKey(processorName, segmentId);
    return run(() -> {
      PendingTokens pending = PendingTokens.of(context, writer);
      TokenChange planned = pending.get(key);
      // The framework releases a segment that it splits before it deletes it. This context holds it to its end.
      boolean isReleasedHere = planned != null && !planned.creates() && planned.entry() != null;
      pending.change(key, isReleasedHere ? planned.entry() : held(key, pending), null);
      return null;
    });
  }

  @Override
  public CompletableFuture<Segment> fetchSegment(
      String processorName, int segmentId, ProcessingContext context) {
    return run(() -> {
      StoredToken stored = projections.read(new SegmentKey(processorName, segmentId));
      return stored == null ? null : stored.entry().segment();
    });
  }

  @Override
  public CompletableFuture<List<Segment>> fetchSegments(String processorName, ProcessingContext context) {
    return run(() -> projections.readAll(processorName).stream().map(TokenEntry::segment).sorted().toList());
  }

  @Override
  public CompletableFuture<List<Segment>> fetchAvailableSegments(
      String processorName, ProcessingContext context) {
    Instant now = settings.clock().instant();
    return run(() -> projections.readAll(processorName).stream()
        .filter(entry -> entry.isFreeFor(settings.nodeId(), settings.claimTimeout(), now))
        .map(TokenEntry::segment).sorted().toList());
  }

  /** The store ID: it changes when the projections of the store are void. */
  @Override
  public CompletableFuture<String> retrieveStorageIdentifier(ProcessingContext context) {
    return run(() -> {
      try {
        return projections.storeId();
      } catch (RuntimeException error) {
        throw new UnableToRetrieveIdentifierException(
            "the store ID could not be read: " + error.getMessage(), error);
      }
    });
  }

  private TokenEntry fetch(SegmentKey key, Segment expected, ProcessingContext context) {
    PendingTokens pending = PendingTokens.of(context, writer);
    TokenChange planned = pending.get(key);
    if (planned == null) {
      return claim(key, expected);
    }
    if (planned.entry() == null) {
      throw new UnableToClaimTokenException(key + " is being deleted");
    }
    TokenEntry entry = planned.entry();
    TokenEntry claimed = entry.claim() != null ? extended(entry) : entry.with(newClaim());
    pending.put(key, new TokenChange(planned.claimId(), claimed));
    return claimed;
  }

  private TokenEntry claim(SegmentKey key, Segment expected) {
    for (int attempt = 0; attempt < TokenWriter.ATTEMPTS_MAX; attempt++) {
      StoredToken stored = projections.read(key);
      if (stored == null) {
        throw new UnableToClaimTokenException(key + " was not initialized, or was deleted");
      }
      TokenEntry entry = stored.entry();
      if (expected != null && !expected.equals(entry.segment())) {
        throw new UnableToClaimTokenException(key + " was split or merged: it is now " + entry.segment());
      }
      if (!entry.isFreeFor(settings.nodeId(), settings.claimTimeout(), settings.clock().instant())) {
        throw new UnableToClaimTokenException(key + " is claimed by " + entry.claim().owner());
      }
      TokenEntry held = writer.held(key);
      boolean isOurs = held != null && entry.hasClaim(held.claim().id());
      TokenEntry claimed = isOurs ? extended(entry) : entry.with(newClaim());
      if (writer.replace(key, stored.version(), claimed)) {
        return claimed;
      }
    }
    throw TokenWriter.busy(key);
  }

  private TokenEntry held(SegmentKey key, PendingTokens pending) {
    TokenChange planned = pending.get(key);
    TokenEntry entry = planned != null ? planned.entry() : writer.held(key);
    if (entry != null && entry.claim() != null) {
      return extended(entry);
    }
    throw new UnableToClaimTokenException(key + " is not claimed by this process, " + settings.nodeId());
  }

  private TokenEntry.Claim newClaim() {
    return new TokenEntry.Claim(settings.nodeId(), UUID.randomUUID().toString(), settings.clock().instant());
  }

  private TokenEntry extended(TokenEntry entry) {
    TokenEntry.Claim claim = entry.claim();
    return entry.with(new TokenEntry.Claim(claim.owner(), claim.id(), settings.clock().instant()));
  }

  private static UnableToClaimTokenException alreadyThere(String processorName, Throwable cause) {
    return new UnableToClaimTokenException(
        "the event processor \"" + processorName + "\" has segments already", cause);
  }

  private static <T> CompletableFuture<T> run(Callable<T> work) {
    try {
      return CompletableFuture.completedFuture(work.call());
    } catch (Exception error) {
      return CompletableFuture.failedFuture(error);
    }
  }
}
