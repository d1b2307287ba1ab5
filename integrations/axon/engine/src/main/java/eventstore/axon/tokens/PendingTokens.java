package eventstore.axon.tokens;

import java.util.LinkedHashMap;
import java.util.Map;
import org.axonframework.messaging.core.Context.ResourceKey;
import org.axonframework.messaging.core.unitofwork.ProcessingContext;
import org.axonframework.messaging.core.unitofwork.ProcessingLifecycle.DefaultPhases;
import org.axonframework.messaging.core.unitofwork.ProcessingLifecycle.Phase;

/**
 * The changes of one processing context, written together after its commit. Written before it, a token could be ahead
 * of what the event handlers have committed, and events would be lost with a crash in between.
 */
final class PendingTokens {
  /** Before AFTER_COMMIT, so that its actions run only when the token is stored. */
  private static final Phase AFTER_HANDLERS = () -> DefaultPhases.COMMIT.order() + 1;

  private final TokenWriter writer;
  private boolean isImmediate;
  private final Map<SegmentKey, TokenChange> changes = new LinkedHashMap<>();

  private PendingTokens(TokenWriter writer, boolean isImmediate) {
    this.writer = writer;
    this.isImmediate = isImmediate;
  }

  static PendingTokens of(ProcessingContext context, TokenWriter writer) {
    if (context == null || !context.isStarted() || context.isCommitted() || context.isCompleted()) {
      return new PendingTokens(writer, true);
    }
    return context.computeResourceIfAbsent(writer.pendingKey(), () -> {
      PendingTokens pending = new PendingTokens(writer, false);
      try {
        context.runOn(AFTER_HANDLERS, ignored -> pending.flush());
      } catch (IllegalStateException phaseIsOver) {
        pending.isImmediate = true;
      }
      return pending;
    });
  }

  static ResourceKey<PendingTokens> newKey() {
    return ResourceKey.withLabel("tokens to store");
  }

  synchronized TokenChange get(SegmentKey key) {
    return changes.get(key);
  }

  synchronized void put(SegmentKey key, TokenChange change) {
    if (isImmediate) {
      writer.write(Map.of(key, change));
    } else if (change.creates() && change.entry() == null) {
      // Created and deleted in this context.
      changes.remove(key);
    } else {
      changes.put(key, change);
    }
  }

  /** Changes an entry that this process has claimed, perhaps in this context. Null deletes it. */
  synchronized void change(SegmentKey key, TokenEntry held, TokenEntry next) {
    TokenChange planned = changes.get(key);
    put(key, new TokenChange(planned != null ? planned.claimId() : held.claim().id(), next));
  }

  private synchronized void flush() {
    isImmediate = true;
    if (!changes.isEmpty()) {
      writer.write(changes);
    }
    changes.clear();
  }
}
