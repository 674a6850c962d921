import { isObject } from '../../foundations/kinds/json-object.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { encodeJson } from '../client/encode-json.ts'
import { isSecret, maskValues, secretValues } from '../client/mask-secret.ts'
import type { Change, ChangeSet } from './change-set.ts'
import { changedBy, type Step } from './changed-by.ts'

/** A field that differs; a side without it has no value. */
export interface FieldChange {
  /** `spec.containers[name=app].image`. */
  readonly path: string
  readonly before?: string
  readonly after?: string
  /** Who has set it to `before`, and when that manager last changed the object, if it was not the one that applies. */
  readonly manager?: string
  readonly changedAt?: string
}

export interface FieldDiff {
  readonly fields: readonly FieldChange[]
  /** How many more fields differ than are listed. */
  readonly more: number
}

/** Which of an object's values may be shown. */
export interface Disclosure {
  /** Whether none of the object's values may be shown. */
  isHidden(object: KubernetesObject): boolean
  /** The text with its secrets masked. */
  masked(text: string): string
  /** The field manager that applies: others that have set a field are named. */
  readonly fieldManager?: string
}

const hiddenValue = '***'
/** A change with the differing fields instead of the states of its object. */
export interface RecordedChange extends Omit<Change, 'states'> {
  readonly diff?: FieldDiff
}

/** The same, which also masks the values that Secrets among the objects had before they are changed. */
export const withReplacedSecrets = (changes: readonly Pick<Change, 'states'>[], disclosure: Disclosure): Disclosure => {
  const replaced = secretValues(changes.flatMap(({ states }) => states?.before ?? []))
  return { ...disclosure, masked: text => maskValues(replaced, disclosure.masked(text)) }
}

/** Compares the states of changed objects; returns neither the states nor their secrets. */
export const recordedChanges = (changes: ChangeSet, disclosure: Disclosure): readonly RecordedChange[] => {
  const known = withReplacedSecrets(changes, disclosure)
  return changes.map(({ states, ...change }) =>
    states ? { ...change, diff: fieldDiff(states.before, states.after, known) } : change,
  )
}

/** How much of an object is listed. */
export interface DiffLimits {
  readonly fields: number
  /** Of a value, in characters. */
  readonly value: number
}

const forReaders: DiffLimits = { fields: 40, value: 200 }

/**
 * The fields in which two states of an object differ, without those that only a server writes. The values of a Secret,
 * and of objects that are hidden, are masked, and so is a value if the other state has a secret in its place.
 */
export const fieldDiff = (
  before: KubernetesObject,
  after: KubernetesObject,
  disclosure: Disclosure,
  limits = forReaders,
): FieldDiff => {
  const isHidden = isSecret(after) || isSecret(before) || disclosure.isHidden(after)
  const fields: FieldChange[] = []
  let more = 0
  const { fieldManager } = disclosure
  for (const { path, steps, from, to } of fieldDifferences(before, after)) {
    if (fields.length === limits.fields) {
      more++
      continue
    }
    const texts = [from, to].map(value => (value === undefined ? undefined : textOf(value)))
    const isMasked = isHidden || texts.some(text => text !== undefined && disclosure.masked(text) !== text)
    const [shownBefore, shownAfter] = texts.map(text => text && (isMasked ? hiddenValue : cut(text, limits.value)))
    fields.push({
      path: disclosure.masked(path),
      ...(shownBefore !== undefined && { before: shownBefore }),
      ...(shownAfter !== undefined && { after: shownAfter }),
      ...(fieldManager !== undefined && changedBy(before, steps, fieldManager)),
    })
  }
  return { fields, more }
}

/** The fields in which two states of an object differ, without those that only a server writes. Values may be secret. */
export const fieldDifferences = (before: KubernetesObject, after: KubernetesObject): Iterable<Difference> =>
  differences([], withoutServerFields(before), withoutServerFields(after))

const textOf = (value: unknown): string => (typeof value === 'string' ? value : encodeJson(value))

const cut = (text: string, limit: number): string => (text.length <= limit ? text : `${text.slice(0, limit)}…`)

/** kubectl's copy of the whole object, a Secret's data included. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

const withoutServerFields = ({ status, metadata, apiVersion, kind, ...content }: KubernetesObject): unknown => {
  const { labels, annotations = {}, finalizers, ownerReferences } = metadata
  const { [lastApplied]: _, ...shown } = annotations
  return { metadata: { labels: labels ?? {}, annotations: shown, finalizers, ownerReferences }, ...content }
}

interface Difference {
  readonly path: string
  readonly steps: readonly Step[]
  readonly from: unknown
  readonly to: unknown
}

function* differences(steps: readonly Step[], from: unknown, to: unknown): Generator<Difference> {
  if (isSameJson(from, to)) return
  if (isObject(from) && isObject(to)) {
    for (const key of new Set([...Object.keys(from), ...Object.keys(to)]))
      yield* differences([...steps, key], from[key], to[key])
    return
  }
  const [items, others] = [keyed(from), keyed(to)]
  if (items && others) {
    for (const key of new Set([...items.keys(), ...others.keys()]))
      yield* differences([...steps, { name: key }], items.get(key), others.get(key))
    return
  }
  yield { path: pathOf(steps), steps, from, to }
}

const pathOf = (steps: readonly Step[]): string =>
  steps.reduce<string>(
    (path, step) => path + (typeof step === 'string' ? member(path, step) : `[name=${step.name}]`),
    '',
  )

const member = (path: string, key: string): string => {
  if (/[.[\]]/.test(key)) return `[${JSON.stringify(key)}]`
  return path === '' ? key : `.${key}`
}

/** A list of objects with names of their own, by name; others are compared as a whole. */
const keyed = (value: unknown): ReadonlyMap<string, unknown> | undefined => {
  if (!Array.isArray(value) || value.length === 0) return undefined
  const items = new Map(value.map(item => [isObject(item) ? item.name : undefined, item] as const))
  if (items.size !== value.length || ![...items.keys()].every(name => typeof name === 'string')) return undefined
  return items as ReadonlyMap<string, unknown>
}
