package eventstore.axon;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.axonframework.eventsourcing.eventstore.StorageEngineTestSuite;
import org.axonframework.messaging.core.unitofwork.ProcessingContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** The framework's own tests, through a proxy that loses the answer to every third request. */
@EnabledIfEnvironmentVariable(named = "EVENTSTORE_TEST_URL", matches = ".+")
class LossyFrameworkSuiteTest extends StorageEngineTestSuite<EventStoreStorageEngine> {

  private final AtomicInteger answers = new AtomicInteger();
  private LossyProxy proxy;
  private EventStoreConnection connection;

  @AfterAll
  void close() {
    assertThat(proxy.lost()).hasSizeGreaterThan(20).contains("POST /write", "QUERY /events");
    connection.close();
    proxy.close();
  }

  @Override
  protected EventStoreStorageEngine buildStorageEngine() throws Exception {
    EventStoreSettings settings = TestServer.settings("EVENTSTORE_TEST_URL");
    try (var direct = new EventStoreConnection(settings)) {
      TestServer.reset(direct);
    }
    proxy = new LossyProxy(settings.url(), request -> answers.incrementAndGet() % 3 == 0);
    connection = new EventStoreConnection(EventStoreSettings.of(proxy.url()));
    return TestServer.engine(connection);
  }

  @Override
  protected ProcessingContext processingContext() {
    return null;
  }
}
