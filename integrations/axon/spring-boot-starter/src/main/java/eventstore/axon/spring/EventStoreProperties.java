package eventstore.axon.spring;

import java.nio.file.Path;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of the event store.
 *
 * @param url             address of the server, with the path of the store if a proxy serves several
 * @param token           token for a server with {@code enableAuth}
 * @param tokenFile       file with that token instead, read before each request, so that it can be replaced
 * @param answerTimeout   time for a whole answer, besides the time that a read waits for events
 * @param retryTime       how long a request is repeated while the server cannot be reached
 * @param waitTime        how long the server waits for the next event of a stream; at most 60 seconds
 * @param eventsPerPage   the most events of one request
 * @param conflictRetries how often the command bus repeats a command whose append was rejected with a conflict
 * @param tokenStore      properties of the token store
 */
@ConfigurationProperties("eventstore")
public record EventStoreProperties(
    @DefaultValue("http://127.0.0.1:8085") String url,
    String token,
    Path tokenFile,
    @DefaultValue("30s") Duration answerTimeout,
    @DefaultValue("10s") Duration retryTime,
    @DefaultValue("25s") Duration waitTime,
    @DefaultValue("500") int eventsPerPage,
    @DefaultValue("5") int conflictRetries,
    @DefaultValue TokenStore tokenStore) {

  /**
   * The properties of the token store.
   *
   * @param enabled      whether event processors keep their positions in the event store
   * @param claimTimeout how long a claim of a segment holds without being extended
   * @param nodeId       name of this process in its claims; by default one that no other process has
   */
  public record TokenStore(
      @DefaultValue("true") boolean enabled,
      @DefaultValue("10s") Duration claimTimeout,
      String nodeId) {
  }

  /** Without the token. */
  @Override
  public String toString() {
    return "EventStoreProperties{url=%s}".formatted(url);
  }
}
