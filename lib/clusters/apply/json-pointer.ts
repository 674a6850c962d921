/** RFC 6901 pointers into JSON values: `/spec/containers/0/image`, with `~1` for a slash and `~0` for a tilde. */

export type Pointer = readonly string[]

/** Fails on text that is not a pointer to a part of an object. */
export const parsePointer = (text: string): Pointer => {
  if (!text.startsWith('/')) throw new Error(`JSON pointer must start with a slash: ${JSON.stringify(text)}`)
  return text
    .slice(1)
    .split('/')
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Undefined if there is no such value. */
export const valueAt = (value: unknown, pointer: Pointer): unknown =>
  pointer.reduce<unknown>((part, step) => {
    if (Array.isArray(part)) return isIndex(step) ? part[Number(step)] : undefined
    return isFields(part) && Object.hasOwn(part, step) ? part[step] : undefined
  }, value)

/** The value with the pointer's target replaced or removed. Unchanged if there is no such target. */
export const withValueAt = <T>(value: T, [step, ...rest]: Pointer, replacement: unknown): T => {
  if (step === undefined || valueAt(value, [step]) === undefined) return value
  if (Array.isArray(value)) {
    const at = Number(step)
    if (rest.length > 0) return value.with(at, withValueAt(value[at], rest, replacement)) as T
    return (replacement === undefined ? value.toSpliced(at, 1) : value.with(at, replacement)) as T
  }
  const { [step]: inner, ...others } = value as Fields
  if (rest.length > 0) return { ...value, [step]: withValueAt(inner, rest, replacement) }
  return (replacement === undefined ? others : { ...value, [step]: replacement }) as T
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null

const isIndex = (step: string): boolean => /^(0|[1-9]\d*)$/.test(step)
