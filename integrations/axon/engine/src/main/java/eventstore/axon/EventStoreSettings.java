package eventstore.axon;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * The address of a server, and the timeouts of the requests to it. Begin with {@link #of(String)}.
 *
 * @param url           {@code http} or {@code https}, with the path of a proxy if the store is behind one
 * @param token         returns the token for {@code enableAuth} before each request, or {@code null} for none
 * @param answerTimeout the time for a whole answer, besides the time that a read waits for events
 * @param retryTime     how long an append or a read is repeated while the server cannot be reached
 * @param waitTime      how long the server waits for the next event of a stream; at most 60 seconds
 * @param eventsPerPage the most events of one request, from 1 to the server's {@code maxEventsPerPage}. A stream has at
 *                      most two pages in memory
 */
public record EventStoreSettings(
    URI url, Supplier<String> token, Duration answerTimeout, Duration retryTime, Duration waitTime,
    int eventsPerPage) {

  private static final Duration WAIT_MAX = Duration.ofSeconds(60);

  /** @throws IllegalArgumentException if a setting is wrong; the message begins with its name */
  public EventStoreSettings {
    if (url == null || url.getHost() == null || !isHttp(url.getScheme())) {
      throw new IllegalArgumentException(
          "url: '%s' is no http or https address of a server; a unix socket cannot be used".formatted(url));
    }
    if (url.getRawUserInfo() != null || url.getRawQuery() != null || url.getRawFragment() != null) {
      throw new IllegalArgumentException("url: only scheme, host, port and path are allowed");
    }
    if (token == null) {
      throw new IllegalArgumentException("token: is null; for no token, it returns null");
    }
    if (waitTime == null || waitTime.isNegative() || waitTime.compareTo(WAIT_MAX) > 0) {
      throw new IllegalArgumentException("waitTime: %s is not from 0 to 60 seconds".formatted(waitTime));
    }
    if (answerTimeout == null || answerTimeout.toMillis() < 1) {
      throw new IllegalArgumentException("answerTimeout: %s is not positive".formatted(answerTimeout));
    }
    if (retryTime == null || retryTime.isNegative()) {
      throw new IllegalArgumentException("retryTime: %s is negative".formatted(retryTime));
    }
    if (eventsPerPage < 1) {
      throw new IllegalArgumentException("eventsPerPage: %d is not positive".formatted(eventsPerPage));
    }
  }

  private static boolean isHttp(String scheme) {
    return scheme != null && scheme.toLowerCase(Locale.ROOT).matches("https?");
  }

  /**
   * A server without a token, 30 seconds for an answer, 10 seconds of retries, 25 seconds of waiting for events, and
   * pages of 500 events.
   *
   * @throws IllegalArgumentException if it is no address of a server
   */
  public static EventStoreSettings of(String url) {
    URI parsed;
    try {
      parsed = new URI(Objects.requireNonNullElse(url, ""));
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("url: %s".formatted(e.getMessage()), e);
    }
    return new EventStoreSettings(
        parsed, () -> null, Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(25), 500);
  }

  /** The same with a token. */
  public EventStoreSettings withToken(String fixed) {
    return withToken(() -> fixed);
  }

  /** The same with tokens that change, such as those in a file that another program replaces. */
  public EventStoreSettings withToken(Supplier<String> changing) {
    return new EventStoreSettings(url, changing, answerTimeout, retryTime, waitTime, eventsPerPage);
  }

  /** The same with another time for an answer. */
  public EventStoreSettings withAnswerTimeout(Duration time) {
    return new EventStoreSettings(url, token, time, retryTime, waitTime, eventsPerPage);
  }

  /** The same with another time of retries. */
  public EventStoreSettings withRetryTime(Duration time) {
    return new EventStoreSettings(url, token, answerTimeout, time, waitTime, eventsPerPage);
  }

  /** The same with another time of waiting for events. */
  public EventStoreSettings withWaitTime(Duration time) {
    return new EventStoreSettings(url, token, answerTimeout, retryTime, time, eventsPerPage);
  }

  /** The same with pages of another size. */
  public EventStoreSettings withEventsPerPage(int events) {
    return new EventStoreSettings(url, token, answerTimeout, retryTime, waitTime, events);
  }

  /** Without the token. */
  @Override
  public String toString() {
    return "EventStoreSettings{url=%s, answerTimeout=%s, retryTime=%s, waitTime=%s, eventsPerPage=%d}"
        .formatted(url, answerTimeout, retryTime, waitTime, eventsPerPage);
  }
}
