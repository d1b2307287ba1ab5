package university;

import java.util.HashSet;
import java.util.Set;
import org.axonframework.eventsourcing.annotation.EventCriteriaBuilder;
import org.axonframework.eventsourcing.annotation.EventSourcedEntity;
import org.axonframework.eventsourcing.annotation.EventSourcingHandler;
import org.axonframework.eventsourcing.annotation.reflection.EntityCreator;
import org.axonframework.eventsourcing.annotation.reflection.InjectEntityId;
import org.axonframework.messaging.core.QualifiedName;
import org.axonframework.messaging.eventstreaming.EventCriteria;
import org.axonframework.messaging.eventstreaming.Tag;
import university.Messages.CourseDefined;
import university.Messages.StudentEnrolled;

/** The state on which the enrollment of a student in a course depends: the course, and all courses of the student. */
@EventSourcedEntity
class Enrollment {

  static final int COURSES_MAX = 3;

  record Id(String course, String student) {
  }

  private int seats = -1;
  private final Set<String> studentsOfCourse = new HashSet<>();
  private final Set<String> coursesOfStudent = new HashSet<>();
  private final Id id;

  @EntityCreator
  Enrollment(@InjectEntityId Id id) {
    this.id = id;
  }

  @EventCriteriaBuilder
  static EventCriteria criteria(Id id) {
    return EventCriteria.either(
        EventCriteria.havingTags(Tag.of("course", id.course())),
        EventCriteria.havingTags(Tag.of("student", id.student()))
            .andBeingOneOfTypes(new QualifiedName(StudentEnrolled.class)));
  }

  @EventSourcingHandler
  void on(CourseDefined event) {
    seats = event.seats();
  }

  @EventSourcingHandler
  void on(StudentEnrolled event) {
    if (event.course().equals(id.course())) {
      studentsOfCourse.add(event.student());
    }
    if (event.student().equals(id.student())) {
      coursesOfStudent.add(event.course());
    }
  }

  boolean isEnrolled() {
    return studentsOfCourse.contains(id.student());
  }

  /** Why the student cannot enroll, or null. */
  String obstacle() {
    if (seats < 0) {
      return "there is no course " + id.course();
    }
    if (studentsOfCourse.size() >= seats) {
      return "the course " + id.course() + " is full";
    }
    return coursesOfStudent.size() >= COURSES_MAX
        ? "the student " + id.student() + " has " + COURSES_MAX + " courses already" : null;
  }
}
