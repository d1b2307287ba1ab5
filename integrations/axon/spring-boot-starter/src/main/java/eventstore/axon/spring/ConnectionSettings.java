package eventstore.axon.spring;

import eventstore.axon.EventStoreSettings;
import eventstore.axon.tokens.TokenStoreConfiguration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.function.Supplier;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Turns properties into the settings of the engine and the token store. Errors name the property. */
final class ConnectionSettings {

  private ConnectionSettings() {
  }

  static EventStoreSettings of(EventStoreProperties properties) {
    EventStoreSettings settings = checked("url", properties.url(), EventStoreSettings::of);
    settings = checked("answer-timeout", properties.answerTimeout(), settings::withAnswerTimeout);
    settings = checked("retry-time", properties.retryTime(), settings::withRetryTime);
    settings = checked("wait-time", properties.waitTime(), settings::withWaitTime);
    settings = checked("events-per-page", properties.eventsPerPage(), settings::withEventsPerPage);
    if (properties.conflictRetries() < 0) {
      throw invalid("conflict-retries", properties.conflictRetries(), "it must be at least 0");
    }
    return withToken(settings, properties);
  }

  static TokenStoreConfiguration of(EventStoreProperties.TokenStore properties) {
    TokenStoreConfiguration settings = TokenStoreConfiguration.defaults();
    settings = checked("token-store.claim-timeout", properties.claimTimeout(), settings::claimTimeout);
    return properties.nodeId() == null
        ? settings
        : checked("token-store.node-id", properties.nodeId(), settings::nodeId);
  }

  private static EventStoreSettings withToken(EventStoreSettings settings, EventStoreProperties properties) {
    Path file = properties.tokenFile();
    if (file == null) {
      String token = properties.token();
      // An empty value is that of a variable which is not set.
      return token == null || token.isEmpty() ? settings : settings.withToken(token);
    }
    if (properties.token() != null && !properties.token().isEmpty()) {
      throw invalid("token-file", file, "eventstore.token is given too; give one of them");
    }
    if (!Files.isReadable(file)) {
      throw invalid("token-file", file, "the file does not exist or cannot be read");
    }
    return settings.withToken(tokenIn(file));
  }

  private static Supplier<String> tokenIn(Path file) {
    return () -> {
      try {
        return Files.readString(file).strip();
      } catch (IOException e) {
        throw new UncheckedIOException("eventstore.token-file: " + file + " cannot be read", e);
      }
    };
  }

  private static <V, R> R checked(String name, V value, Function<V, R> use) {
    try {
      return use.apply(value);
    } catch (IllegalArgumentException e) {
      throw invalid(name, value, e.getMessage());
    }
  }

  private static RuntimeException invalid(String name, Object value, String reason) {
    return new InvalidConfigurationPropertyValueException("eventstore." + name, value, reason);
  }
}
