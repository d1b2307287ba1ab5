package eventstore.axon.spring;

import io.micrometer.core.instrument.MeterRegistry;
import org.axonframework.common.configuration.ConfigurationEnhancer;
import org.axonframework.eventsourcing.eventstore.EventStorageEngine;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Meters of the event store, if the application has a registry of Micrometer. */
@AutoConfiguration(
    before = EventStoreAutoConfiguration.class,
    afterName = {
        "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
        "org.springframework.boot.actuate.autoconfigure.metrics.export.simple.SimpleMetricsExportAutoConfiguration"
    })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
public class EventStoreMetricsAutoConfiguration {

  /** The meters, which see each request. */
  @Bean
  EventStoreMeters eventStoreMeters(MeterRegistry registry) {
    return new EventStoreMeters(registry);
  }

  /** Puts the meters around the storage engine. */
  @Bean
  ConfigurationEnhancer eventStoreMetrics(EventStoreMeters meters) {
    return registry -> registry.registerDecorator(EventStorageEngine.class, 0,
        (config, name, delegate) -> new MeteredStorageEngine(delegate, meters));
  }
}
