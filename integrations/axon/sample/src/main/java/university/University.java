package university;

import eventstore.axon.spring.EventSourcingConfigurerCustomizer;
import org.axonframework.eventsourcing.configuration.EventSourcedEntityModule;
import org.axonframework.messaging.commandhandling.annotation.CommandHandler;
import org.axonframework.messaging.commandhandling.configuration.CommandHandlingModule;
import org.axonframework.messaging.eventhandling.gateway.EventAppender;
import org.axonframework.messaging.queryhandling.configuration.QueryHandlingModule;
import org.axonframework.modelling.annotation.InjectEntity;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import university.Messages.CourseDefined;
import university.Messages.DefineCourse;
import university.Messages.EnrollStudent;
import university.Messages.StudentEnrolled;

/** Courses with seats: a student takes a seat, unless the course is full or the student has three courses. */
@SpringBootApplication
class University {

  public static void main(String[] args) {
    SpringApplication.run(University.class, args);
  }

  @Bean
  EventSourcingConfigurerCustomizer enrollment(SeatsTable seats) {
    return axon -> axon
        .registerEntity(EventSourcedEntityModule.autodetected(Enrollment.Id.class, Enrollment.class))
        .registerCommandHandlingModule(CommandHandlingModule.named("enrollment").commandHandlers()
            .annotatedCommandHandlingComponent(config -> new Commands()))
        .registerQueryHandlingModule(QueryHandlingModule.named("seats").queryHandlers()
            .annotatedQueryHandlingComponent(config -> seats))
        .messaging(messaging -> messaging.eventProcessing(processing -> processing.pooledStreaming(
            processors -> processors.defaultProcessor("seats-table",
                handlers -> handlers.autodetected(config -> seats)))));
  }

  static class Commands {

    @CommandHandler
    void handle(DefineCourse command, EventAppender events) {
      events.append(new CourseDefined(command.course(), command.seats()));
    }

    @CommandHandler
    void handle(EnrollStudent command, @InjectEntity Enrollment enrollment, EventAppender events) {
      if (enrollment.isEnrolled()) {
        return;
      }
      if (enrollment.obstacle() != null) {
        throw new IllegalStateException(enrollment.obstacle());
      }
      events.append(new StudentEnrolled(command.course(), command.student()));
    }
  }
}
