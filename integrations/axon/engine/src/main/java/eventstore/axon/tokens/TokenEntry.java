package eventstore.axon.tokens;

import java.time.Duration;
import java.time.Instant;
import org.axonframework.messaging.eventhandling.processing.streaming.segmenting.Segment;
import org.axonframework.messaging.eventhandling.processing.streaming.token.TrackingToken;

/**
 * One segment of an event processor.
 *
 * @param segment which events of the processor it has
 * @param token how far they are handled, or null before the first one
 * @param claim who may store the token now, or null
 */
record TokenEntry(Segment segment, TrackingToken token, Claim claim) {
  /**
   * The right of one process to store the token.
   *
   * @param owner the node ID of the process
   * @param id new with every claim, so that a process which lost its claim and got it again has another one
   * @param extendedAt when it was last extended, by the clock of the owner
   */
  record Claim(String owner, String id, Instant extendedAt) {}

  boolean isFreeFor(String nodeId, Duration claimTimeout, Instant now) {
    return claim == null
        || claim.owner().equals(nodeId)
        || claim.extendedAt().plus(claimTimeout).isBefore(now);
  }

  boolean hasClaim(String id) {
    return claim != null && claim.id().equals(id);
  }

  TokenEntry with(TrackingToken newToken) {
    return new TokenEntry(segment, newToken, claim);
  }

  TokenEntry with(Claim newClaim) {
    return new TokenEntry(segment, token, newClaim);
  }
}
