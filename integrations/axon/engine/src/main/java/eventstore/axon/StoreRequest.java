package eventstore.axon;

import java.time.Duration;

/**
 * A request to the server.
 *
 * @param method   such as {@code POST}
 * @param path     from the root of the store, percent-encoded, with its query string
 * @param body     JSON, or {@code null} for none
 * @param changes  whether it may change the store. Then its outcome is unknown without an answer
 * @param waitTime how long the server may wait before it answers, besides the time for an answer
 */
public record StoreRequest(String method, String path, byte[] body, boolean changes, Duration waitTime) {

  /** A request that only reads, without a body. */
  public static StoreRequest get(String path) {
    return new StoreRequest("GET", path, null, false, Duration.ZERO);
  }

  /** A request for a page of events. */
  public static StoreRequest query(byte[] body, Duration waitTime) {
    return new StoreRequest("QUERY", "/events", body, false, waitTime);
  }

  /** A request that writes events and projections. */
  public static StoreRequest write(byte[] body) {
    return new StoreRequest("POST", "/write", body, true, Duration.ZERO);
  }
}
