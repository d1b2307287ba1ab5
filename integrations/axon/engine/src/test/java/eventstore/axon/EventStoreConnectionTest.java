package eventstore.axon;

import static eventstore.axon.TestServer.bytes;
import static eventstore.axon.TestServer.failureOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

@EnabledIfEnvironmentVariable(named = "EVENTSTORE_TEST_AUTH_URL", matches = ".+")
class EventStoreConnectionTest {

  private final EventStoreSettings settings = TestServer.settings("EVENTSTORE_TEST_AUTH_URL")
      .withToken(System.getenv("EVENTSTORE_TEST_TOKEN"));
  private final EventStoreConnection connection = new EventStoreConnection(settings);

  @AfterEach
  void close() {
    connection.close();
  }

  @Test
  void writesAndReadsProjections() throws Exception {
    String id = UUID.randomUUID().toString();
    StoreRequest read = StoreRequest.get("/projections/course/" + id);
    assertThat(connection.read(read).get().status()).isEqualTo(404);
    String create = """
        {"projections": {"create": [{"type": "course", "id": "%s", "payload": "a"}]}}""";
    StoreRequest write = StoreRequest.write(bytes(create.formatted(id)));
    StoreAnswer written = connection.send(write).get();
    StoreAnswer found = connection.read(read).get();
    assertThat(found.text()).isEqualTo("a");
    assertThat(found.header("x-service-version"))
        .isEqualTo(written.json().at("/projections/create/0/version").asText());
    assertThat(found.storeId()).isEqualTo(written.storeId());
    assertThat(failureOf(connection.send(write)))
        .isInstanceOfSatisfying(StoreConflictException.class, e -> assertThat(e.condition()).isEqualTo(-1))
        .hasMessageContaining("projections.create[0] already exists")
        .hasMessageContaining(settings.url().toString());
  }

  @Test
  void namesTheItemOfARejectedRequest() throws Exception {
    StoreRequest write = StoreRequest.write(bytes("{\"events\": [{\"type\": \"\"}]}"));
    assertThat(failureOf(connection.send(write)))
        .isInstanceOfSatisfying(StoreRequestException.class, e -> assertThat(e.status()).isEqualTo(400))
        .hasMessageContaining("events[0]");
  }

  @Test
  void failsWithoutTheToken() throws Exception {
    try (var other = new EventStoreConnection(settings.withToken("another-token"))) {
      assertThat(failureOf(other.read(StoreRequest.get("/health"))))
          .isInstanceOfSatisfying(StoreRequestException.class, e -> {
            assertThat(e.status()).isEqualTo(401);
            assertThat(e.code()).isEqualTo("Unauthorized");
          })
          .hasMessageNotContaining("another-token");
    }
    try (var other = new EventStoreConnection(settings.withToken("two\nlines"))) {
      assertThat(failureOf(other.read(StoreRequest.get("/health"))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("token: it must be printable ASCII characters");
    }
  }

  @Test
  void namesAnAddressThatItCannotReach() throws Exception {
    int port;
    try (var free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    String url = "http://127.0.0.1:" + port;
    EventStoreSettings unreachable = EventStoreSettings.of(url).withRetryTime(Duration.ofMillis(100));
    try (var other = new EventStoreConnection(unreachable)) {
      StoreRequest write = StoreRequest.write(bytes("{}"));
      assertThat(failureOf(other.send(write)))
          .isInstanceOf(StoreUnavailableException.class).hasMessageContaining(url);
    }
  }

  @Test
  void doesNotKnowTheOutcomeOfAWriteWithoutAnAnswer() throws Exception {
    try (var silent = new ServerSocket(0)) {
      String url = "http://127.0.0.1:" + silent.getLocalPort();
      EventStoreSettings impatient = EventStoreSettings.of(url)
          .withAnswerTimeout(Duration.ofMillis(200)).withRetryTime(Duration.ZERO);
      try (var other = new EventStoreConnection(impatient)) {
        assertThat(failureOf(other.send(StoreRequest.write(bytes("{}")))))
            .isInstanceOf(OutcomeUnknownException.class).hasMessageContaining("no answer in time");
        assertThat(failureOf(other.read(StoreRequest.get("/health"))))
            .isInstanceOf(StoreUnavailableException.class);
      }
    }
  }

  @Test
  void takesOnlyTheAnswersOfTheServerForCertain() throws Exception {
    HttpServer proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    AtomicInteger status = new AtomicInteger();
    proxy.createContext("/", exchange -> {
      exchange.sendResponseHeaders(status.get(), -1);
      exchange.close();
    });
    proxy.start();
    EventStoreSettings behind = EventStoreSettings.of("http://127.0.0.1:" + proxy.getAddress().getPort());
    try (var other = new EventStoreConnection(behind.withRetryTime(Duration.ZERO))) {
      for (int each : List.of(200, 302, 403, 409, 502)) {
        status.set(each);
        Class<?> unread =
            each >= 300 && each < 500 ? StoreRequestException.class : StoreUnavailableException.class;
        assertThat(failureOf(other.read(StoreRequest.get("/whoami")).thenApply(StoreAnswer::json)))
            .as("%d", each).isExactlyInstanceOf(unread).hasMessageContaining(behind.url().toString());
        assertThat(failureOf(other.send(StoreRequest.write(bytes("{}"))).thenApply(StoreAnswer::storeId)))
            .as("%d", each).isExactlyInstanceOf(OutcomeUnknownException.class);
      }
    } finally {
      proxy.stop(0);
    }
  }

  @Test
  void closesTheConnectionOfACancelledRequest() throws Exception {
    try (var silent = new ServerSocket(0);
        var other = new EventStoreConnection(
            EventStoreSettings.of("http://127.0.0.1:" + silent.getLocalPort()))) {
      CompletableFuture<StoreAnswer> answer = other.send(StoreRequest.get("/health"));
      try (var accepted = silent.accept()) {
        accepted.setSoTimeout(10_000);
        while (accepted.getInputStream().read() != '\n') {
          // The request has been sent when its first line is here.
        }
        answer.cancel(true);
        accepted.getInputStream().readAllBytes();
      }
      assertThat(answer).isCompletedExceptionally();
    }
  }

  @Test
  void namesTheSettingThatIsWrong() {
    for (String url : List.of("unix:/run/store.sock", "localhost:8085", "http://", "/path", "http://[", "")) {
      assertThatIllegalArgumentException().isThrownBy(() -> EventStoreSettings.of(url))
          .withMessageStartingWith("url: ");
    }
    EventStoreSettings good = EventStoreSettings.of("https://example.org/stores/a/");
    assertThatIllegalArgumentException().isThrownBy(() -> good.withWaitTime(Duration.ofSeconds(61)))
        .withMessageStartingWith("waitTime: ");
    assertThatIllegalArgumentException().isThrownBy(() -> good.withAnswerTimeout(Duration.ZERO))
        .withMessageStartingWith("answerTimeout: ");
    assertThatIllegalArgumentException().isThrownBy(() -> good.withRetryTime(Duration.ofSeconds(-1)))
        .withMessageStartingWith("retryTime: ");
    assertThatIllegalArgumentException().isThrownBy(() -> good.withEventsPerPage(0))
        .withMessageStartingWith("eventsPerPage: ");
    assertThat(good.withToken("secret").toString()).doesNotContain("secret");
  }
}
