package eventstore.axon;

import org.axonframework.eventsourcing.eventstore.EventStoreException;

/** The store was reset or restored, or has lost events in a failover: positions of before are void. */
@SuppressWarnings("serial")
public class StoreResetException extends EventStoreException {

  static final String ADVICE = "reset the tokens of the event processor";

  /** Creates one that says which position is void. */
  public StoreResetException(String message) {
    super(message);
  }
}
