/** A token store for Axon Framework: the positions of event processors, as projections of the event store. */
package eventstore.axon.tokens;
