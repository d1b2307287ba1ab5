package eventstore.axon;

import org.axonframework.eventsourcing.eventstore.StorageEngineTestSuite;
import org.axonframework.messaging.core.unitofwork.ProcessingContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** The framework's own tests of storage engines. They begin with an empty store. */
@EnabledIfEnvironmentVariable(named = "EVENTSTORE_TEST_URL", matches = ".+")
class FrameworkSuiteTest extends StorageEngineTestSuite<EventStoreStorageEngine> {

  private final EventStoreConnection connection =
      new EventStoreConnection(TestServer.settings("EVENTSTORE_TEST_URL"));

  @AfterAll
  void close() {
    connection.close();
  }

  @Override
  protected EventStoreStorageEngine buildStorageEngine() throws Exception {
    TestServer.reset(connection);
    return TestServer.engine(connection);
  }

  @Override
  protected ProcessingContext processingContext() {
    return null;
  }
}
