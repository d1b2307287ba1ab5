import assert from "node:assert/strict";
import * as conventions from "@opentelemetry/semantic-conventions/incubating";

/** The constants of the package whose names begin with this. */
function valuesOf(prefix: string): ReadonlySet<unknown> {
  return new Set(
    Object.entries(conventions).flatMap(([name, value]) => name.startsWith(prefix) ? [value] : []),
  );
}

const ATTRIBUTES = valuesOf("ATTR_");
/** Attributes of the client itself. */
const OWN = new Set(["eventstore.event.type"]);
const OPERATION_TYPES = valuesOf("MESSAGING_OPERATION_TYPE_VALUE_");

/** Checks a span by the conventions of OpenTelemetry, as the package of the SDK names them. */
export function checkConventions(name: string, attributes: Readonly<Record<string, unknown>>): void {
  for (const attribute of Object.keys(attributes)) {
    const isKnown = ATTRIBUTES.has(attribute) || OWN.has(attribute);
    assert.ok(isKnown, `${name} has the attribute ${attribute}, which the conventions do not have`);
  }
  if (attributes["messaging.system"] === undefined) {
    return assert.equal(name, `${attributes["http.request.method"]} ${attributes["url.template"]}`);
  }
  assert.equal(name.split(" ")[0], attributes["messaging.operation.name"]);
  const type = attributes["messaging.operation.type"];
  assert.ok(
    OPERATION_TYPES.has(type),
    `${name} has the operation type ${type}, which the conventions do not have`,
  );
  // Spans with a single message must not have a count.
  const count = attributes["messaging.batch.message_count"];
  assert.ok(count === undefined || Number(count) > 1, `${name} has the count ${count}`);
}
