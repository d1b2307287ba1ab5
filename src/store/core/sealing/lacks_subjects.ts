/** Why a server without subjects does not open a store that has been opened with subjects, as the end of a sentence. */
export const LACKS_SUBJECTS =
  "it holds encrypted payloads, but the setting subjects names no identifiers, so new payloads " +
  "would be stored readable";
