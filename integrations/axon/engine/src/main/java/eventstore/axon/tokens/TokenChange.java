package eventstore.axon.tokens;

/**
 * The next state of a projection.
 *
 * @param claimId the claim that must still hold, or null to create a projection that must not exist
 * @param entry the new content, or null to delete the projection
 */
record TokenChange(String claimId, TokenEntry entry) {
  boolean creates() {
    return claimId == null;
  }
}
