package eventstore.axon.spring;

import org.axonframework.common.configuration.AxonConfiguration;
import org.axonframework.common.configuration.ConfigurationEnhancer;
import org.axonframework.eventsourcing.configuration.EventSourcingConfigurer;
import org.axonframework.eventsourcing.eventstore.EventStorageEngine;
import org.axonframework.messaging.commandhandling.gateway.CommandGateway;
import org.axonframework.messaging.eventhandling.conversion.EventConverter;
import org.axonframework.messaging.eventhandling.gateway.EventGateway;
import org.axonframework.messaging.eventhandling.processing.streaming.token.store.TokenStore;
import org.axonframework.messaging.queryhandling.gateway.QueryGateway;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;

/** Builds, starts and stops Axon Framework, unless its own extension for Spring or the application does. */
@AutoConfiguration(after = EventStoreAutoConfiguration.class)
@ConditionalOnMissingClass("org.axonframework.extension.spring.config.SpringAxonApplication")
@ConditionalOnMissingBean(AxonConfiguration.class)
@ConditionalOnBean(EventSourcingConfigurerCustomizer.class)
public class AxonApplicationAutoConfiguration {

  /** The framework, with the components of the application. */
  @Bean(destroyMethod = "")
  AxonConfiguration axonConfiguration(
      EventStorageEngine engine,
      ObjectProvider<TokenStore> tokenStore,
      ObjectProvider<EventConverter> converter,
      ObjectProvider<ConfigurationEnhancer> enhancers,
      ObjectProvider<EventSourcingConfigurerCustomizer> customizers) {
    EventSourcingConfigurer configurer = EventSourcingConfigurer.create();
    configurer.registerEventStorageEngine(config -> engine);
    configurer.componentRegistry(registry -> {
      tokenStore.ifUnique(store -> registry.registerComponent(TokenStore.class, config -> store));
      converter.ifUnique(own -> registry.registerComponent(EventConverter.class, config -> own));
      enhancers.orderedStream().forEach(registry::registerEnhancer);
    });
    customizers.orderedStream().forEach(customizer -> customizer.customize(configurer));
    return configurer.build();
  }

  /** Sends commands. */
  @Bean
  @ConditionalOnMissingBean
  CommandGateway commandGateway(AxonConfiguration axon) {
    return axon.getComponent(CommandGateway.class);
  }

  /** Asks queries. */
  @Bean
  @ConditionalOnMissingBean
  QueryGateway queryGateway(AxonConfiguration axon) {
    return axon.getComponent(QueryGateway.class);
  }

  /** Publishes events. */
  @Bean
  @ConditionalOnMissingBean
  EventGateway eventGateway(AxonConfiguration axon) {
    return axon.getComponent(EventGateway.class);
  }

  /** Starts event processors after all beans exist, and before a web server accepts requests. */
  @Bean
  SmartLifecycle axonLifecycle(AxonConfiguration axon) {
    return new AxonLifecycle(axon);
  }

  private static final class AxonLifecycle implements SmartLifecycle {

    private final AxonConfiguration axon;
    private volatile boolean isRunning;

    AxonLifecycle(AxonConfiguration axon) {
      this.axon = axon;
    }

    @Override
    public void start() {
      axon.start();
      isRunning = true;
    }

    @Override
    public void stop() {
      isRunning = false;
      axon.shutdown();
    }

    @Override
    public boolean isRunning() {
      return isRunning;
    }

    @Override
    public int getPhase() {
      return 0;
    }
  }
}
