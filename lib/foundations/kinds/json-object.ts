/** A JSON object of unknown content. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Whether parsed JSON or YAML is an object: neither null nor a list. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
