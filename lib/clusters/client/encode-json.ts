// ECMAScript 2025; TypeScript does not know it yet.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

/** JSON of what was read from YAML: integers beyond 2^53 come as bigints, and keep all their digits. */
export const encodeJson = (value: unknown): string =>
  JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? rawJSON(String(field)) : field))
