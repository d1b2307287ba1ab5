package eventstore.axon.spring;

import static org.assertj.core.api.Assertions.assertThat;

import eventstore.axon.EventStoreConnection;
import eventstore.axon.EventStoreStorageEngine;
import eventstore.axon.tokens.EventStoreTokenStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.axonframework.common.configuration.AxonConfiguration;
import org.axonframework.eventsourcing.eventstore.EventStorageEngine;
import org.axonframework.eventsourcing.eventstore.inmemory.InMemoryEventStorageEngine;
import org.axonframework.messaging.commandhandling.gateway.CommandGateway;
import org.axonframework.messaging.eventhandling.processing.streaming.token.store.TokenStore;
import org.axonframework.messaging.eventhandling.processing.streaming.token.store.inmemory.InMemoryTokenStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Which beans an application gets. None of these tests sends a request. */
class EventStoreAutoConfigurationTest {

  private final ApplicationContextRunner application = new ApplicationContextRunner().withConfiguration(
      AutoConfigurations.of(EventStoreAutoConfiguration.class, AxonApplicationAutoConfiguration.class));

  @Test
  void configuresTheEngineAndTheTokenStore() {
    application.run(context -> {
      assertThat(context).hasSingleBean(EventStorageEngine.class).hasSingleBean(TokenStore.class);
      assertThat(context.getBean(EventStorageEngine.class)).isInstanceOf(EventStoreStorageEngine.class);
      assertThat(context.getBean(TokenStore.class)).isInstanceOf(EventStoreTokenStore.class);
      assertThat(context.getBean(EventStoreConnection.class).settings().url())
          .hasToString("http://127.0.0.1:8085");
      assertThat(context).doesNotHaveBean(AxonConfiguration.class);
    });
  }

  @Test
  void startsTheFrameworkWithTheComponentsOfTheApplication() {
    application.withBean(EventSourcingConfigurerCustomizer.class, () -> axon -> axon.componentRegistry(
        registry -> registry.registerComponent(String.class, config -> "of the application"))).run(context -> {
          AxonConfiguration axon = context.getBean(AxonConfiguration.class);
          assertThat(axon.getComponent(String.class)).isEqualTo("of the application");
          assertThat(axon.getComponent(EventStorageEngine.class))
              .isSameAs(context.getBean(EventStorageEngine.class));
          assertThat(axon.getComponent(TokenStore.class)).isSameAs(context.getBean(TokenStore.class));
          assertThat(context.getBean(CommandGateway.class)).isSameAs(axon.getComponent(CommandGateway.class));
        });
  }

  @Test
  void leavesTheBeansOfTheApplicationAlone() {
    application
        .withBean(EventStorageEngine.class, InMemoryEventStorageEngine::new)
        .withBean(TokenStore.class, InMemoryTokenStore::new)
        .run(context -> {
          assertThat(context.getBean(EventStorageEngine.class)).isInstanceOf(InMemoryEventStorageEngine.class);
          assertThat(context.getBean(TokenStore.class)).isInstanceOf(InMemoryTokenStore.class);
        });
  }

  @Test
  void needsNeitherActuatorNorMicrometer() {
    AutoConfigurations optional = AutoConfigurations.of(
        EventStoreHealthAutoConfiguration.class, EventStoreMetricsAutoConfiguration.class);
    application.withConfiguration(optional).withBean(SimpleMeterRegistry.class).run(context -> assertThat(context)
        .hasSingleBean(HealthIndicator.class).hasSingleBean(EventStoreMeters.class));
    application.withConfiguration(optional)
        .withClassLoader(new FilteredClassLoader("io.micrometer", "org.springframework.boot.actuate"))
        .run(context -> assertThat(context).hasNotFailed().hasSingleBean(EventStorageEngine.class)
            .doesNotHaveBean("eventstoreHealthIndicator").doesNotHaveBean("eventStoreMeters"));
  }

  @Test
  void leavesOutTheTokenStore() {
    application.withPropertyValues("eventstore.token-store.enabled=false")
        .run(context -> assertThat(context)
            .hasSingleBean(EventStorageEngine.class).doesNotHaveBean(TokenStore.class));
  }

  @Test
  void namesThePropertyThatIsWrong(@TempDir Path directory) {
    Stream.of(
        "url=unix:/run/store.sock", "answer-timeout=0s", "answer-timeout=soon", "retry-time=-1s",
        "wait-time=61s",
        "events-per-page=0", "events-per-page=many", "conflict-retries=-1", "token-store.claim-timeout=0s",
        "token-store.node-id= ", "token-file=" + directory.resolve("missing")).forEach(pair -> {
          String property = "eventstore." + pair;
          application.withPropertyValues(property).run(context -> assertThat(context.getStartupFailure())
              .as(property).hasStackTraceContaining(property.split("=")[0]));
        });
  }

  @Test
  void takesEitherATokenOrAFile(@TempDir Path directory) throws Exception {
    Path file = Files.writeString(directory.resolve("token"), "secret-of-the-file");
    application.withPropertyValues("eventstore.token=secret-of-the-property", "eventstore.token-file=" + file)
        .run(context -> assertThat(context.getStartupFailure())
            .hasStackTraceContaining("eventstore.token-file").hasStackTraceContaining("give one of them"));
    // An empty value is that of a variable which is not set.
    application.withPropertyValues("eventstore.token=", "eventstore.token-file=" + file).run(context -> {
      var settings = context.getBean(EventStoreConnection.class).settings();
      assertThat(settings.token().get()).isEqualTo("secret-of-the-file");
      Files.writeString(file, "secret-after-a-change\n");
      assertThat(settings.token().get()).isEqualTo("secret-after-a-change");
    });
    application.withPropertyValues("eventstore.token=secret-of-the-property").run(context -> {
      assertThat(context.getBean(EventStoreConnection.class).settings().token().get())
          .isEqualTo("secret-of-the-property");
      assertThat(context.getBean(EventStoreProperties.class).toString()).doesNotContain("secret");
    });
  }
}
