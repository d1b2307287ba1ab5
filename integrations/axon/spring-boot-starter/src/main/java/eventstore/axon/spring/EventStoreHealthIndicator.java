package eventstore.axon.spring;

import com.fasterxml.jackson.databind.JsonNode;
import eventstore.axon.EventStoreConnection;
import eventstore.axon.StoreRequest;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;

/** UP while the server can read its database and has not failed to write. */
public final class EventStoreHealthIndicator extends AbstractHealthIndicator {

  /** Shorter than the usual timeout of a probe, so that the probe sees an answer. */
  private static final long TIMEOUT_SECONDS = 5;

  private final EventStoreConnection connection;

  /** An indicator for the server of this connection. */
  public EventStoreHealthIndicator(EventStoreConnection connection) {
    super("the event store has no health");
    this.connection = connection;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) throws Exception {
    builder.withDetail("url", connection.settings().url().toString());
    JsonNode health;
    try {
      health = connection.send(StoreRequest.get("/health")).get(TIMEOUT_SECONDS, TimeUnit.SECONDS).json();
    } catch (ExecutionException e) {
      builder.down(e.getCause());
      return;
    }
    builder.withDetail("version", health.path("version").asText());
    if (!health.has("writes")) {
      builder.up();
      return;
    }
    builder.down().withDetail("writes", health.get("writes").asText());
    builder.withDetail("reason", health.path("reason").asText());
  }
}
