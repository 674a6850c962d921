// ECMAScript 2025; TypeScript does not have it yet.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

/** JSON of values read from YAML: integers beyond 2^53 are bigints, and keep all their digits. */
export const encodeJson = (value: unknown): string => {
  try {
    return JSON.stringify(value)
  } catch {
    // It has a bigint. A replacer is called for each field, which takes several times as long.
    return JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? rawJSON(String(field)) : field))
  }
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown
const { parse } = JSON as unknown as { parse(text: string, reviver: Reviver): unknown }

/** The opposite of `encodeJson`. */
export const decodeJson = (text: string): unknown =>
  parse(text, (_, value, { source = '' }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? BigInt(source) : value,
  )
