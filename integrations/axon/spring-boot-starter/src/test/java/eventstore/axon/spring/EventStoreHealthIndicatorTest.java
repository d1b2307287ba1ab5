package eventstore.axon.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.actuate.health.Status;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The health of a server that runs, rejects the token, cannot be reached, or fails to write. */
@EnabledIfEnvironmentVariable(named = "EVENTSTORE_TEST_AUTH_URL", matches = ".+")
class EventStoreHealthIndicatorTest {

  private static final String URL = System.getenv("EVENTSTORE_TEST_AUTH_URL");

  private final ApplicationContextRunner application = new ApplicationContextRunner()
      .withConfiguration(
          AutoConfigurations.of(EventStoreAutoConfiguration.class, EventStoreHealthAutoConfiguration.class))
      .withPropertyValues("eventstore.url=" + URL, "eventstore.token=" + System.getenv("EVENTSTORE_TEST_TOKEN"));

  private static Health healthOf(ApplicationContextRunner application) {
    Health[] health = new Health[1];
    application.run(context -> health[0] = context.getBean(HealthIndicator.class).health());
    return health[0];
  }

  @Test
  void isUpWithTheVersionOfTheServer() {
    Health health = healthOf(application);
    assertThat(health.getStatus()).isEqualTo(Status.UP);
    assertThat(health.getDetails()).containsEntry("url", URL).containsKey("version");
  }

  @Test
  void isDownWithTheReason() {
    Health health = healthOf(application.withPropertyValues("eventstore.token=wrong-token"));
    assertThat(health.getStatus()).isEqualTo(Status.DOWN);
    assertThat(health.getDetails().get("error").toString()).contains("token").doesNotContain("wrong-token");
    Health unreachable = healthOf(application.withPropertyValues("eventstore.url=http://127.0.0.1:1"));
    assertThat(unreachable.getStatus()).isEqualTo(Status.DOWN);
    assertThat(unreachable.getDetails()).containsEntry("url", "http://127.0.0.1:1");
    assertThat(unreachable.getDetails().get("error").toString()).contains("cannot reach the server");
  }

  @Test
  void isDownWhileWritesFail() throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    byte[] body = "{\"status\":\"ok\",\"version\":\"1\",\"writes\":\"failing\",\"reason\":\"the disk is full\"}"
        .getBytes(StandardCharsets.UTF_8);
    server.createContext("/health", exchange -> {
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
      exchange.close();
    });
    server.start();
    try {
      String url = "http://127.0.0.1:" + server.getAddress().getPort();
      Health health = healthOf(application.withPropertyValues("eventstore.url=" + url));
      assertThat(health.getStatus()).isEqualTo(Status.DOWN);
      assertThat(health.getDetails())
          .containsEntry("writes", "failing").containsEntry("reason", "the disk is full").containsEntry("version", "1");
    } finally {
      server.stop(0);
    }
  }

  @Test
  void canBeTurnedOff() {
    application.withPropertyValues("management.health.eventstore.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(HealthIndicator.class));
  }
}
