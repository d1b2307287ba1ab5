package eventstore.axon.tokens;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.axonframework.messaging.core.Context.ResourceKey;
import org.axonframework.messaging.eventhandling.processing.streaming.token.store.UnableToClaimTokenException;
import org.axonframework.messaging.eventhandling.processing.streaming.token.store.UnableToInitializeTokenException;

/** Writes changes of tokens, and remembers the claims of this process with the versions of their projections. */
final class TokenWriter {
  /** Each failed attempt is a write of another thread that succeeded, so the bound is never met in practice. */
  static final int ATTEMPTS_MAX = 100;

  private record Held(String version, TokenEntry entry) {}

  private final TokenProjections projections;
  private final Map<SegmentKey, Held> held = new ConcurrentHashMap<>();
  private final ResourceKey<PendingTokens> pendingKey = PendingTokens.newKey();

  TokenWriter(TokenProjections projections) {
    this.projections = projections;
  }

  /** Token stores that share a processing context do not share their changes. */
  ResourceKey<PendingTokens> pendingKey() {
    return pendingKey;
  }

  /** The entry as this process last wrote it, if it holds the claim as far as it knows; otherwise null. */
  TokenEntry held(SegmentKey key) {
    Held known = held.get(key);
    return known == null ? null : known.entry();
  }

  /** Replaces an entry of this version. False: it has another version by now. */
  boolean replace(SegmentKey key, String version, TokenEntry entry) {
    String write = UUID.randomUUID().toString();
    TokenWrite request = new TokenWrite(projections.codec(), write);
    request.replace(key, version, entry);
    Map<SegmentKey, String> versions = projections.write(request);
    if (versions == null) {
      // The answer of an earlier attempt may have been lost, so the conflict may be with this very write.
      StoredToken stored = projections.read(key);
      if (stored == null || !write.equals(stored.write())) {
        return false;
      }
      versions = Map.of(key, stored.version());
    }
    remember(key, entry, versions.get(key));
    return true;
  }

  /**
   * Changes the entry as it is now, whatever other threads have stored meanwhile. False: this process has no claim.
   *
   * @throws UnableToClaimTokenException if this process has lost its claim
   */
  boolean update(SegmentKey key, UnaryOperator<TokenEntry> change) {
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      Held known = held.get(key);
      if (known == null) {
        return false;
      }
      if (replace(key, known.version(), change.apply(known.entry()))) {
        return true;
      }
      StoredToken stored = projections.read(key);
      if (stored == null || !stored.entry().hasClaim(known.entry().claim().id())) {
        held.remove(key);
        throw lost(key, stored);
      }
      remember(key, stored.entry(), stored.version());
    }
    throw busy(key);
  }

  /**
   * Writes all changes, or none.
   *
   * @throws UnableToClaimTokenException if this process has lost the claim of one of them
   * @throws UnableToInitializeTokenException if one exists that is to be created
   */
  void write(Map<SegmentKey, TokenChange> changes) {
    String write = UUID.randomUUID().toString();
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      Map<SegmentKey, String> versions = projections.write(requestFor(changes, write));
      if (versions != null) {
        changes.forEach((key, change) -> remember(key, change.entry(), versions.get(key)));
        return;
      }
      if (wasWritten(changes, write)) {
        return;
      }
    }
    throw busy(changes.keySet());
  }

  private TokenWrite requestFor(Map<SegmentKey, TokenChange> changes, String write) {
    TokenWrite request = new TokenWrite(projections.codec(), write);
    changes.forEach((key, change) -> {
      if (change.creates()) {
        request.create(key, change.entry());
        return;
      }
      Held known = held.get(key);
      if (known == null || !known.entry().hasClaim(change.claimId())) {
        throw lost(key, null);
      }
      if (change.entry() == null) {
        request.delete(key, known.version());
      } else {
        request.replace(key, known.version(), change.entry());
      }
    });
    return request;
  }

  /** After a conflict: true if it was with this very write. Otherwise learns the new versions, if claims still hold. */
  private boolean wasWritten(Map<SegmentKey, TokenChange> changes, String write) {
    Map<SegmentKey, StoredToken> stored = new HashMap<>();
    changes.keySet().forEach(key -> stored.put(key, projections.read(key)));
    // A write that only deletes leaves nothing to recognize. If all is gone, its work is done.
    boolean isOurs = stored.values().stream().anyMatch(token -> token != null && write.equals(token.write()))
        || changes.values().stream().allMatch(change -> change.entry() == null)
        && stored.values().stream().allMatch(Objects::isNull);
    changes.forEach((key, change) -> {
      StoredToken now = stored.get(key);
      if (!isOurs && !change.creates() && (now == null || !now.entry().hasClaim(change.claimId()))) {
        held.remove(key);
        throw lost(key, now);
      }
      if (!isOurs && change.creates() && now != null) {
        throw new UnableToInitializeTokenException(key + " exists already");
      }
      remember(key, now == null ? null : now.entry(), now == null ? null : now.version());
    });
    return isOurs;
  }

  private void remember(SegmentKey key, TokenEntry entry, String version) {
    if (entry == null || entry.claim() == null) {
      held.remove(key);
    } else {
      held.put(key, new Held(version, entry));
    }
  }

  static UnableToClaimTokenException busy(Object keys) {
    return new UnableToClaimTokenException("others change " + keys + " all the time");
  }

  private static UnableToClaimTokenException lost(SegmentKey key, StoredToken stored) {
    boolean isTaken = stored != null && stored.entry().claim() != null;
    return new UnableToClaimTokenException(
        "this process has lost its claim of " + key + (isTaken ? " to " + stored.entry().claim().owner() : ""));
  }
}
