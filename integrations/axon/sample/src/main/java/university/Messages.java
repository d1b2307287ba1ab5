package university;

import org.axonframework.eventsourcing.annotation.EventTag;
import org.axonframework.modelling.annotation.TargetEntityId;

/** The commands, events and queries. */
final class Messages {

  private Messages() {
  }

  /** Of a course that exists, it changes the number of seats. */
  record DefineCourse(String course, int seats) {
  }

  record EnrollStudent(String course, String student) {

    @TargetEntityId
    Enrollment.Id enrollment() {
      return new Enrollment.Id(course, student);
    }
  }

  record CourseDefined(@EventTag(key = "course") String course, int seats) {
  }

  record StudentEnrolled(@EventTag(key = "course") String course, @EventTag(key = "student") String student) {
  }

  record FindSeats(String course) {
  }

  record Seats(String course, int seats, int taken) {
  }
}
