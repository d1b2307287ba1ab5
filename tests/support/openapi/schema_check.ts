import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Json, JsonObject } from "../../../tools/openapi/json.ts";

/** Compares values with the schemas of an OpenAPI document. */
export class SchemaCheck {
  // The linter checks that the schemas are valid. Here it would take most of the time.
  readonly #ajv = new Ajv2020({ strict: true, allErrors: true, validateSchema: false });
  readonly #validators = new Map<Json, ValidateFunction>();

  constructor(document: JsonObject) {
    const { schemas } = document["components"] as { readonly schemas: JsonObject };
    this.#ajv.addVocabulary(["discriminator"]);
    this.#ajv.addFormat("int64", true);
    this.#ajv.addFormat("uuid", /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    this.#ajv.addFormat("date-time", /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/);
    this.#ajv.addSchema({ $defs: forValidation(schemas) }, "schemas");
  }

  /**
   * The differences of a value from a schema of the document, one line each.
   * @param what the beginning of each line
   */
  faults(schema: JsonObject, value: unknown, what: string): string[] {
    let validate = this.#validators.get(schema);
    if (validate === undefined) {
      validate = this.#ajv.compile(forValidation(schema) as JsonObject);
      this.#validators.set(schema, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      `${what}${instancePath} ${message} ${JSON.stringify(params)}`
    );
  }
}

/**
 * The same schemas, but none allows a key that it does not name. They refer to each other by their names in the
 * validator.
 */
function forValidation(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(forValidation);
  const same = Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === "$ref"
        ? String(member).replace("#/components/schemas/", "schemas#/$defs/")
        : forValidation(member),
    ]),
  );
  const isOpen = same["type"] === "object" && "properties" in same && !("additionalProperties" in same);
  return isOpen ? { ...same, additionalProperties: false } : same;
}
