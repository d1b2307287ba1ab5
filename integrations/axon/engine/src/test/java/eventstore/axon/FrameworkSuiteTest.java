package eventstore.axon;

import java.time.Duration;
import org.axonframework.conversion.json.JacksonConverter;
import org.axonframework.eventsourcing.eventstore.StorageEngineTestSuite;
import org.axonframework.messaging.core.unitofwork.ProcessingContext;
import org.axonframework.messaging.eventhandling.conversion.DelegatingEventConverter;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** The framework's own tests of storage engines. They begin with an empty store. */
@EnabledIfEnvironmentVariable(named = "EVENTSTORE_TEST_URL", matches = ".+")
class FrameworkSuiteTest extends StorageEngineTestSuite<EventStoreStorageEngine> {

  @Override
  protected EventStoreStorageEngine buildStorageEngine() throws Exception {
    var connection = new EventStoreConnection(TestServer.settings("EVENTSTORE_TEST_URL"));
    connection.send(new StoreRequest("POST", "/reset", null, true, Duration.ZERO)).get();
    return new EventStoreStorageEngine(connection, new DelegatingEventConverter(new JacksonConverter()));
  }

  @Override
  protected ProcessingContext processingContext() {
    return null;
  }
}
