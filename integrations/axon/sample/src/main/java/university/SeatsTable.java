package university;

import org.axonframework.messaging.eventhandling.annotation.EventHandler;
import org.axonframework.messaging.queryhandling.annotation.QueryHandler;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import university.Messages.CourseDefined;
import university.Messages.FindSeats;
import university.Messages.Seats;
import university.Messages.StudentEnrolled;

/** Two tables that an event processor keeps up to date. An event that comes twice changes nothing. */
@Component
class SeatsTable {

  private final JdbcTemplate database;

  SeatsTable(JdbcTemplate database) {
    this.database = database;
  }

  @EventHandler
  void on(CourseDefined event) {
    database.update("merge into course values (?, ?)", event.course(), event.seats());
  }

  @EventHandler
  void on(StudentEnrolled event) {
    database.update("merge into seat values (?, ?)", event.course(), event.student());
  }

  @QueryHandler
  Seats find(FindSeats query) {
    return database.query(
        "select seats, (select count(*) from seat where course = c.course) from course c where course = ?",
        row -> row.next() ? new Seats(query.course(), row.getInt(1), row.getInt(2)) : null, query.course());
  }
}
