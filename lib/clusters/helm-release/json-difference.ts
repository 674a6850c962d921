import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'

/** An operation of a JSON patch (RFC 6902). */
export type JsonOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }

/**
 * The operations that turn `before` into `after`: per list item and object field, unless replacing the whole value is shorter. Flux counts drift in
 * these operations.
 */
export const jsonDifference = (before: unknown, after: unknown, path = ''): readonly JsonOperation[] => {
  if (isSameJson(before, after)) return []
  const parts =
    Array.isArray(before) && Array.isArray(after) ? itemsOf(before, after, path) : fieldsOf(before, after, path)
  if (!parts) return [{ op: 'replace', path, value: after }]
  const whole: JsonOperation = { op: 'replace', path, value: after }
  const isShorter = path !== '' && JSON.stringify(parts).length > JSON.stringify([whole]).length
  return isShorter ? [whole] : parts
}

const itemsOf = (before: readonly unknown[], after: readonly unknown[], path: string): readonly JsonOperation[] => [
  // Later items move up, so each item is at the same index when it is removed.
  ...before.slice(after.length).map(() => ({ op: 'remove' as const, path: `${path}/${after.length}` })),
  ...before.slice(0, after.length).flatMap((item, index) => jsonDifference(item, after[index], `${path}/${index}`)),
  ...after.slice(before.length).map(value => ({ op: 'add' as const, path: `${path}/-`, value })),
]

const fieldsOf = (before: unknown, after: unknown, path: string): readonly JsonOperation[] | undefined => {
  if (!isFields(before) || !isFields(after)) return undefined
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return names.flatMap((name): readonly JsonOperation[] => {
    const at = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (!Object.hasOwn(after, name)) return [{ op: 'remove', path: at }]
    if (!Object.hasOwn(before, name)) return [{ op: 'add', path: at, value: after[name] }]
    return jsonDifference(before[name], after[name], at)
  })
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
