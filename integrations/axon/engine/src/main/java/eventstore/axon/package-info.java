/** A storage engine for Axon Framework that keeps the events in this event store. */
package eventstore.axon;
