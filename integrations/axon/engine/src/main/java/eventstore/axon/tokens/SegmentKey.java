package eventstore.axon.tokens;

/** The address of a token: the name of the event processor and the ID of the segment. */
record SegmentKey(String processor, int segmentId) {
  @Override
  public String toString() {
    return "segment " + segmentId + " of the event processor \"" + processor + "\"";
  }
}
