package eventstore.axon.tokens;

import java.lang.management.ManagementFactory;
import java.time.Clock;
import java.time.Duration;
import java.util.UUID;

/**
 * The settings of a token store.
 *
 * @param claimTimeout how long a claim holds without being extended. Event processors extend theirs every five
 *     seconds by default, so the timeout must be longer. After it, another process may take the segment.
 * @param nodeId the name of this process in its claims. No other process may have the same.
 * @param clock the time that claims are dated with. The clocks of all processes should agree to within a second or
 *     two: a clock that is ahead takes segments early. Even then, the former owner can store nothing.
 */
public record TokenStoreConfiguration(Duration claimTimeout, String nodeId, Clock clock) {
  /** Ten seconds, as in the token stores of the framework. */
  public static final Duration DEFAULT_CLAIM_TIMEOUT = Duration.ofSeconds(10);

  /**
   * Checks the settings.
   *
   * @throws IllegalArgumentException naming the setting at fault
   */
  public TokenStoreConfiguration {
    if (claimTimeout == null || claimTimeout.isNegative() || claimTimeout.isZero()) {
      throw new IllegalArgumentException("claimTimeout must be longer than 0, not " + claimTimeout);
    }
    if (nodeId == null || nodeId.isBlank()) {
      throw new IllegalArgumentException("nodeId must not be empty");
    }
    if (clock == null) {
      throw new IllegalArgumentException("clock must be given");
    }
  }

  /**
   * The default settings.
   *
   * @return settings with a node ID that no other process has
   */
  public static TokenStoreConfiguration defaults() {
    // A process in a container often has the process ID 1 and the same host name as its predecessor.
    String nodeId = ManagementFactory.getRuntimeMXBean().getName() + "#" + UUID.randomUUID();
    return new TokenStoreConfiguration(DEFAULT_CLAIM_TIMEOUT, nodeId, Clock.systemUTC());
  }

  /**
   * The same settings with another timeout.
   *
   * @param timeout how long a claim holds without being extended
   * @return the new settings
   */
  public TokenStoreConfiguration claimTimeout(Duration timeout) {
    return new TokenStoreConfiguration(timeout, nodeId, clock);
  }

  /**
   * The same settings with another name of the process.
   *
   * @param name the name of this process in its claims
   * @return the new settings
   */
  public TokenStoreConfiguration nodeId(String name) {
    return new TokenStoreConfiguration(claimTimeout, name, clock);
  }

  /**
   * The same settings with another clock.
   *
   * @param time the clock that claims are dated with
   * @return the new settings
   */
  public TokenStoreConfiguration clock(Clock time) {
    return new TokenStoreConfiguration(claimTimeout, nodeId, time);
  }
}
