/** Autoconfiguration of the storage engine and the token store for Spring Boot. */
package eventstore.axon.spring;
