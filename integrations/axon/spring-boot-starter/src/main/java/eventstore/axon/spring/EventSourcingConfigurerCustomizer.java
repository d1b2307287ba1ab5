package eventstore.axon.spring;

import org.axonframework.eventsourcing.configuration.EventSourcingConfigurer;

/** A bean that registers entities, handlers and event processors of the application. */
@FunctionalInterface
public interface EventSourcingConfigurerCustomizer {

  /** Registers them. It is called once, when the application starts. */
  void customize(EventSourcingConfigurer configurer);
}
