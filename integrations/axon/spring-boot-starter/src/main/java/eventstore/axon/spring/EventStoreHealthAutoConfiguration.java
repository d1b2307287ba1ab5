package eventstore.axon.spring;

import eventstore.axon.EventStoreConnection;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The health of the event store, if the application has Spring Boot's actuator. */
@AutoConfiguration(after = EventStoreAutoConfiguration.class)
@ConditionalOnClass(
    name = "org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator")
@ConditionalOnBean(EventStoreConnection.class)
public class EventStoreHealthAutoConfiguration {

  /** A class of its own, since its conditions can only be read with the actuator. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnEnabledHealthIndicator("eventstore")
  static class Indicator {

    /** The component {@code eventstore} of the health endpoint. */
    @Bean
    @ConditionalOnMissingBean(name = "eventstoreHealthIndicator")
    HealthIndicator eventstoreHealthIndicator(EventStoreConnection connection) {
      return new EventStoreHealthIndicator(connection);
    }
  }
}
