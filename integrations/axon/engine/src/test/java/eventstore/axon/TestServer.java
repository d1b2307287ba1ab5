package eventstore.axon;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** The servers that the tests use. Environment variables have their addresses. Without them, the tests are skipped. */
final class TestServer {

  private TestServer() {
  }

  /** The address in a variable. */
  static EventStoreSettings settings(String variable) {
    String url = System.getenv(variable);
    if (url == null) {
      throw new IllegalStateException("the environment variable %s names no server".formatted(variable));
    }
    return EventStoreSettings.of(url).withRetryTime(Duration.ofSeconds(20));
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
