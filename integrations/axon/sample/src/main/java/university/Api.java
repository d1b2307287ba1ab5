package university;

import java.util.concurrent.CompletableFuture;
import org.axonframework.messaging.commandhandling.gateway.CommandGateway;
import org.axonframework.messaging.queryhandling.gateway.QueryGateway;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import university.Messages.DefineCourse;
import university.Messages.EnrollStudent;
import university.Messages.FindSeats;
import university.Messages.Seats;

/** The commands and the query over HTTP. */
@RestController
class Api {

  private final CommandGateway commands;
  private final QueryGateway queries;

  Api(CommandGateway commands, QueryGateway queries) {
    this.commands = commands;
    this.queries = queries;
  }

  @PutMapping("/courses/{course}")
  CompletableFuture<Void> define(@PathVariable String course, @RequestParam int seats) {
    return commands.send(new DefineCourse(course, seats), Void.class);
  }

  @PutMapping("/courses/{course}/students/{student}")
  CompletableFuture<Void> enroll(@PathVariable String course, @PathVariable String student) {
    return commands.send(new EnrollStudent(course, student), Void.class);
  }

  @GetMapping("/courses/{course}")
  CompletableFuture<Seats> seats(@PathVariable String course) {
    return queries.query(new FindSeats(course), Seats.class);
  }

  @ExceptionHandler(IllegalStateException.class)
  @ResponseStatus(HttpStatus.CONFLICT)
  String rejected(IllegalStateException e) {
    return e.getMessage();
  }
}
