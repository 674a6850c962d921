import { parseLabelSelector } from '../../engines/kustomize/label-selector.ts'
import { compileSelector } from '../../engines/kustomize/selector.ts'
import { groupOf, type KubernetesObject, type ManagedFieldsEntry, versionOf } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { encodeJson } from '../client/encode-json.ts'
import { type Pointer, parsePointer, valueAt, withValueAt } from './json-pointer.ts'

/** Fields that are neither compared nor overwritten (spec.ignore, KS-211 to KS-216). */
export interface IgnoreRule {
  readonly paths: readonly string[]
  /** The objects it applies to; all if absent. Patterns match whole values. */
  readonly target?: Target | undefined
}

interface Target {
  readonly group?: string | undefined
  readonly version?: string | undefined
  readonly kind?: string | undefined
  readonly name?: string | undefined
  readonly namespace?: string | undefined
  readonly labelSelector?: string | undefined
  readonly annotationSelector?: string | undefined
}

/** The fields of an object to leave alone. */
export type IgnoredFields = (object: KubernetesObject) => readonly Pointer[]

/** Fails on a malformed pattern, selector or pointer. */
export const ignoredFields = (rules: readonly IgnoreRule[]): IgnoredFields => {
  const compiled = rules.map(({ paths, target }) => ({
    pointers: paths.map(parsePointer),
    matches: target ? matcherOf(target) : () => true,
  }))
  return object => compiled.flatMap(({ pointers, matches }) => (matches(object) ? pointers : []))
}

const always = () => true

const matcherOf = (target: Target): ((object: KubernetesObject) => boolean) => {
  const selector = compileSelector(target)
  const labels = target.labelSelector ? parseLabelSelector(target.labelSelector) : always
  const annotations = target.annotationSelector ? parseLabelSelector(target.annotationSelector) : always
  return ({ apiVersion, kind, metadata }) =>
    selector.gvk({ group: groupOf(apiVersion), version: versionOf(apiVersion), kind }) &&
    selector.name(metadata.name) &&
    selector.namespace(metadata.namespace ?? '') &&
    labels(new Map(Object.entries(metadata.labels ?? {}))) &&
    annotations(new Map(Object.entries(metadata.annotations ?? {})))
}

/** A copy without the fields at these pointers. */
export const withoutFields = <T>(object: T, pointers: readonly Pointer[]): T =>
  pointers.reduce((rest, pointer) => withValueAt(rest, pointer, undefined), object)

/**
 * The object to send so that ignored fields keep their live values: fields that another applier owns are left out, fields that
 * only we own are sent as they are (left out, they would be removed).
 */
export const withLiveFields = (
  desired: KubernetesObject,
  live: KubernetesObject,
  dryRun: KubernetesObject,
  pointers: readonly Pointer[],
  fieldManager: string,
): KubernetesObject => {
  const others = (live.metadata.managedFields ?? []).filter(
    ({ manager, operation, subresource }) => operation === 'Apply' && !subresource && manager !== fieldManager,
  )
  return pointers.reduce((object, pointer) => {
    const living = valueAt(live, pointer)
    if (isSameJson(living, valueAt(dryRun, pointer))) return object
    const isOwnedByOthers = others.some(({ fieldsV1 }) => owns(fieldsV1, live, pointer))
    return withValueAt(object, pointer, isOwnedByOthers ? undefined : living)
  }, desired)
}

/** Whether a FieldsV1 set contains a pointer's field; the set names list items by their keys or values. */
const owns = (
  fields: ManagedFieldsEntry['fieldsV1'] | undefined,
  value: unknown,
  [step, ...rest]: Pointer,
): boolean => {
  if (step === undefined) return true
  const inner = valueAt(value, [step])
  const member = Array.isArray(value) ? memberOf(fields, inner) : `f:${step}`
  const below = member === undefined ? undefined : (fields as Fields | undefined)?.[member]
  return below !== undefined && owns(below as Fields, inner, rest)
}

type Fields = Readonly<Record<string, unknown>>

const memberOf = (fields: unknown, item: unknown): string | undefined =>
  Object.keys((fields ?? {}) as Fields).find(member => {
    if (member.startsWith('v:')) return member.slice(2) === encodeJson(item)
    if (!member.startsWith('k:')) return false
    const keys = Object.entries(JSON.parse(member.slice(2)) as Fields)
    return keys.every(([key, value]) => isSameJson((item as Fields | undefined)?.[key], value))
  })
