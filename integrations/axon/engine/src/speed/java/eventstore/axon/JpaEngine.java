package eventstore.axon;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.EntityTransaction;
import java.util.function.UnaryOperator;
import org.axonframework.conversion.json.JacksonConverter;
import org.axonframework.eventsourcing.eventstore.EventStorageEngine;
import org.axonframework.eventsourcing.eventstore.jpa.AggregateBasedJpaEventStorageEngine;
import org.axonframework.eventsourcing.eventstore.jpa.AggregateEventEntry;
import org.axonframework.messaging.core.unitofwork.transaction.Transaction;
import org.axonframework.messaging.core.unitofwork.transaction.TransactionManager;
import org.axonframework.messaging.eventhandling.conversion.DelegatingEventConverter;
import org.hibernate.boot.model.TypeContributions;
import org.hibernate.dialect.PostgreSQLDialect;
import org.hibernate.jpa.HibernatePersistenceConfiguration;
import org.hibernate.service.ServiceRegistry;
import org.hibernate.type.SqlTypes;
import org.hibernate.type.descriptor.jdbc.VarbinaryJdbcType;

/** The framework's engine for JPA, on Hibernate and PostgreSQL. */
final class JpaEngine {

  private static final int CONNECTIONS = 12;
  private static final ThreadLocal<EntityManager> CURRENT = new ThreadLocal<>();

  private JpaEngine() {
  }

  /** Payloads as `bytea`, as the framework's manual advises. */
  public static final class ByteaDialect extends PostgreSQLDialect {

    @Override
    protected String columnType(int sqlTypeCode) {
      return sqlTypeCode == SqlTypes.BLOB ? "bytea" : super.columnType(sqlTypeCode);
    }

    @Override
    public void contributeTypes(TypeContributions types, ServiceRegistry registry) {
      super.contributeTypes(types, registry);
      types.getTypeConfiguration().getJdbcTypeRegistry()
          .addDescriptor(SqlTypes.BLOB, VarbinaryJdbcType.INSTANCE);
    }
  }

  /** @param url such as {@code jdbc:postgresql://127.0.0.1:5432/postgres?user=postgres} */
  static EntityManagerFactory connect(String url) {
    return new HibernatePersistenceConfiguration("speed")
        .managedClass(AggregateEventEntry.class)
        .property("jakarta.persistence.jdbc.url", url)
        .property("jakarta.persistence.schema-generation.database.action", "create")
        .property("hibernate.dialect", ByteaDialect.class.getName())
        .property("hibernate.connection.pool_size", CONNECTIONS)
        .createEntityManagerFactory();
  }

  static EventStorageEngine engine(EntityManagerFactory factory) {
    TransactionManager transactions = () -> begin(factory.createEntityManager());
    return new AggregateBasedJpaEventStorageEngine(
        () -> CURRENT.get() == null ? factory.createEntityManager() : CURRENT.get(),
        transactions, new DelegatingEventConverter(new JacksonConverter()), UnaryOperator.identity());
  }

  /** The engine closes the entity manager before the transaction is committed. */
  private static Transaction begin(EntityManager manager) {
    EntityTransaction transaction = manager.getTransaction();
    transaction.begin();
    CURRENT.set(manager);
    return new Transaction() {
      @Override
      public void commit() {
        CURRENT.remove();
        transaction.commit();
        manager.close();
      }

      @Override
      public void rollback() {
        CURRENT.remove();
        transaction.rollback();
        manager.close();
      }
    };
  }
}
