/** Moves objects from client-side `kubectl apply`, which leaves an annotation, to server-side apply. */
import { compareText } from '../../foundations/go/compare-text.ts'
import { isObject } from '../../foundations/kinds/json-object.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { StructuralSchema } from '../../foundations/kinds/schema/schema.ts'
import { compare } from './compare.ts'
import type { ApplyConflict, Conflict } from './conflict.ts'
import type { FieldSet } from './field-set.ts'
import { difference, union } from './field-set.ts'
import { fieldsOf } from './fields-of.ts'

export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration'

/** The remaining conflicts, after the client has taken back fields that are still as it last applied them. */
export const conflictsSinceLastApplied = (
  { conflicts }: ApplyConflict,
  live: KubernetesObject,
  schema: StructuralSchema,
): readonly Conflict[] => {
  const lastApplied = parsed(live.metadata.annotations?.[lastAppliedAnnotation])
  if (!isObject(lastApplied) || lastApplied.apiVersion !== live.apiVersion) return conflicts
  const { added, modified, removed } = compare(schema, lastApplied, live)
  const unchanged = difference(fieldsOf(schema, lastApplied), union(union(added, modified), removed))
  return conflicts.filter(({ path }) => !has(unchanged, path))
}

const has = (fields: FieldSet, path: readonly string[]): boolean => {
  let at: FieldSet | undefined = fields
  for (const element of path) at = at?.below.get(element)
  return at?.self ?? false
}

const parsed = (json: string | undefined): unknown => {
  try {
    return json && JSON.parse(json)
  } catch {
    return undefined
  }
}

/** The object with the annotation updated, so that a client-side apply can still follow. */
export const withLastApplied = (object: KubernetesObject, applied: KubernetesObject): KubernetesObject => {
  const { [lastAppliedAnnotation]: _, ...annotations } = applied.metadata.annotations ?? {}
  const { annotations: given, ...metadata } = applied.metadata
  const configuration = { ...applied, metadata: { ...metadata, ...(given && { annotations }) } }
  return {
    ...object,
    metadata: {
      ...object.metadata,
      annotations: {
        ...object.metadata.annotations,
        [lastAppliedAnnotation]: `${JSON.stringify(withSortedKeys(configuration))}\n`,
      },
    },
  }
}

const withSortedKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withSortedKeys)
  if (!isObject(value)) return value
  const entries = Object.entries(value).sort(([a], [b]) => compareText(a, b))
  return Object.fromEntries(entries.map(([name, item]) => [name, withSortedKeys(item)]))
}
