package eventstore.axon.spring;

import eventstore.axon.EventStoreConnection;
import eventstore.axon.EventStoreStorageEngine;
import eventstore.axon.RequestObserver;
import eventstore.axon.tokens.EventStoreTokenStore;
import org.axonframework.conversion.json.JacksonConverter;
import org.axonframework.eventsourcing.eventstore.EventStorageEngine;
import org.axonframework.messaging.eventhandling.conversion.DelegatingEventConverter;
import org.axonframework.messaging.eventhandling.conversion.EventConverter;
import org.axonframework.messaging.eventhandling.processing.streaming.token.store.TokenStore;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** The connection, the storage engine and the token store, each unless the application has its own. */
@AutoConfiguration(beforeName = {
    "org.axonframework.extension.springboot.autoconfig.AxonAutoConfiguration",
    "org.axonframework.extension.springboot.autoconfig.JdbcAutoConfiguration",
    "org.axonframework.extension.springboot.autoconfig.JpaAutoConfiguration",
    "org.axonframework.extension.springboot.autoconfig.JpaEventStoreAutoConfiguration"
})
@EnableConfigurationProperties(EventStoreProperties.class)
public class EventStoreAutoConfiguration {

  /** The connection that all components share. */
  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  EventStoreConnection eventStoreConnection(
      EventStoreProperties properties, ObjectProvider<RequestObserver> observer) {
    return new EventStoreConnection(
        ConnectionSettings.of(properties), observer.getIfUnique(() -> (request, status, time) -> { }));
  }

  /** The storage engine. */
  @Bean
  @ConditionalOnMissingBean(EventStorageEngine.class)
  EventStorageEngine eventStoreStorageEngine(
      EventStoreConnection connection, ObjectProvider<EventConverter> converter) {
    return new EventStoreStorageEngine(
        connection, converter.getIfUnique(() -> new DelegatingEventConverter(new JacksonConverter())));
  }

  /** The token store. */
  @Bean
  @ConditionalOnMissingBean(TokenStore.class)
  @ConditionalOnProperty(name = "eventstore.token-store.enabled", matchIfMissing = true)
  TokenStore eventStoreTokenStore(EventStoreConnection connection, EventStoreProperties properties) {
    // Tokens are the framework's own classes, so they do not depend on how events are converted.
    return new EventStoreTokenStore(
        connection, new JacksonConverter(), ConnectionSettings.of(properties.tokenStore()));
  }

  /** Repeats commands that met a conflict. */
  @Bean
  @ConditionalOnMissingBean
  ConflictRetryEnhancer eventStoreConflictRetries(EventStoreProperties properties) {
    return new ConflictRetryEnhancer(properties.conflictRetries());
  }
}
