/* The IDs, times and names in the examples. A replay replaces the IDs and times by those of the server. */

export const STORE = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
export const TX = "6f2c1d0a-5b1e-4c1f-9d35-0c6a2f3e8b71";
export const TICKET = "9d1f4b2e-8c3a-4f6d-a1b7-5e2c0d9f8a63";

/** The ID of a key, and a key. */
export const KEY_ID = "p3Jr8c1TqkZx0_aB";
export const KEY = "Q1sX9yqk7l0Vw3m2tq5u8Zr1bN4cD6eF0gH2jK4mP6s=";

export const TYPE = "course";
export const ID = "c1";

export const TIME_1 = "2026-11-20T19:07:36.048101Z";
export const TIME_2 = "2026-11-20T19:07:41.302557Z";
export const HOUR = "2026-11-20T19:00:00.000000Z";

export const VERSION_1 = "1b4e28ba-2fa1-41d2-883f-0016d3cca427";
export const VERSION_2 = "3f333df6-90a4-4fda-8dd3-9485d27cee36";
export const VERSION_3 = "a2c5d0f4-6e0b-4f1a-8c27-91b3e5d7f064";

/** The query for the events of the course. */
export const COURSE_QUERY = [{ identifiers: [{ name: "course", value: "c1" }] }];

export const COURSE_DEFINED = {
  type: "CourseDefined",
  identifiers: { course: "c1" },
  payload: '{"capacity":30}',
};

export const ENROLLED = {
  type: "StudentEnrolled",
  identifiers: { course: "c1", student: ["s1", "s2"] },
  metadata: { by: "web" },
  payload: "",
};

/** The same events as they are read. */
export const LINE_1 = {
  sequence: 1,
  time: TIME_1,
  type: "CourseDefined",
  identifiers: { course: "c1" },
  metadata: {},
  payload: '{"capacity":30}',
};
export const LINE_2 = { sequence: 2, time: TIME_2, ...ENROLLED };
