package eventstore.axon.spring;

import org.axonframework.common.configuration.ComponentRegistry;
import org.axonframework.common.configuration.ConfigurationEnhancer;
import org.axonframework.messaging.commandhandling.CommandBus;

/**
 * Makes the command bus repeat a command whose append was rejected, because another command has changed what it read.
 * It is handled anew, with the events of the other command.
 */
public final class ConflictRetryEnhancer implements ConfigurationEnhancer {

  private final int retries;

  /**
   * Retries with random pauses that grow.
   *
   * @param retries how often a command is repeated; 0 for never
   */
  public ConflictRetryEnhancer(int retries) {
    this.retries = retries;
  }

  @Override
  public void enhance(ComponentRegistry registry) {
    if (retries > 0) {
      // Inside of interceptors, so that they see a command once.
      registry.registerDecorator(CommandBus.class, Integer.MIN_VALUE,
          (config, name, delegate) -> new ConflictRetryingCommandBus(delegate, retries));
    }
  }
}
