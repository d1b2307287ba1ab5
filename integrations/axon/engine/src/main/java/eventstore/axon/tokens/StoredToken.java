package eventstore.axon.tokens;

/**
 * A projection as it was read.
 *
 * @param version the version that a change of it must name
 * @param write the ID of the write that it came with
 */
record StoredToken(String version, String write, TokenEntry entry) {}
