import type { OpenBuilds, OpenChange, OpenField } from '../../foundations/fleet/head-plan.ts'
import { isObject } from '../../foundations/kinds/json-object.ts'
import { groupOf, type KubernetesObject, type ObjectRef } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { encodeJson } from '../client/encode-json.ts'
import { isSecret } from '../client/mask-secret.ts'
import type { Step } from './changed-by.ts'
import { type Disclosure, fieldDifferences } from './field-diff.ts'
import { normalize } from './normalize.ts'
import type { PlannedChange } from './planned-changes.ts'

const maxFields = 30
/** In characters. */
const maxValue = 200

/** A value that the cluster has, and the repository does not. */
const liveValue = '(a value that is not in the repository)'
const hiddenValue = '***'

/**
 * What is planned, for anyone who may read the repository and nothing else. An object and a field are listed, and a value is shown, only if a build
 * of the repository alone has them: whatever a pull request does to get at a live value, a decrypted one or a variable, it can't show here. Values of
 * Secrets are never shown.
 */
export const openChanges = (
  changes: readonly PlannedChange[],
  { base, head }: OpenBuilds,
  disclosure: Disclosure,
): readonly OpenChange[] => {
  const [before, after] = [byName(base), byName(head)]
  return changes.flatMap(({ ref, action, origin, states }): readonly OpenChange[] => {
    const [old, made] = [objectIn(before, ref), objectIn(after, ref)]
    // Neither how many there are, nor their kinds: a template or a variable can make both of a secret.
    if (!made && !(old && action === 'deleted')) return []
    const differences = states ? [...fieldDifferences(states.before, states.after)] : []
    const isHidden = [old, made].some(object => object && (isSecret(object) || disclosure.isHidden(object)))
    const shown = (value: unknown, known: unknown): { readonly text?: string } => {
      if (value === undefined) return {}
      if (isHidden) return { text: hiddenValue }
      if (known === undefined || !isSameJson(value, known)) return { text: liveValue }
      const text = typeof value === 'string' ? value : encodeJson(value)
      if (disclosure.masked(text) !== text) return { text: hiddenValue }
      return { text: text.length <= maxValue ? text : `${text.slice(0, maxValue)}…` }
    }
    const fields = differences.flatMap(({ path, steps, from, to }): readonly OpenField[] => {
      const [known, wanted] = [valueAt(old, steps), valueAt(made, steps)]
      if (known === undefined && wanted === undefined) return []
      const [then, now] = [shown(from, known), shown(to, wanted)]
      return [
        {
          path,
          ...(then.text !== undefined && { before: then.text }),
          ...(now.text !== undefined && { after: now.text }),
        },
      ]
    })
    const change = {
      action,
      kind: ref.kind,
      name: ref.namespace ? `${ref.namespace}/${ref.name}` : ref.name,
      ...(origin !== undefined && made && { origin }),
      fields: fields.slice(0, maxFields),
      moreFields: fields.length - Math.min(fields.length, maxFields),
      ...(fields.length < differences.length && { hasOthers: true as const }),
    }
    return [change]
  })
}

/** The changes as far as these builds know of them: their objects in place of those of the cluster. Changes of objects that neither has are left out. */
export const asBuilt = (changes: readonly PlannedChange[], { base, head }: OpenBuilds): readonly PlannedChange[] => {
  const [before, after] = [byName(base), byName(head)]
  return changes.flatMap(({ desired, defaulted, removed, states, ...change }) => {
    const [old, made] = [objectIn(before, change.ref), objectIn(after, change.ref)]
    if (!old && !made) return []
    return {
      ...change,
      ...(made && { desired: made }),
      ...(old && { removed: old }),
      ...(old && made && { states: { before: old, after: made } }),
    }
  })
}

const keyOf = (group: string, kind: string, namespace: string, name: string): string =>
  [group, kind, namespace, name].join('/')

const byName = (objects: readonly KubernetesObject[]): ReadonlyMap<string, KubernetesObject> =>
  new Map(
    objects.map(object => {
      const { apiVersion, kind, metadata } = object
      return [keyOf(groupOf(apiVersion), kind, metadata.namespace ?? '', metadata.name), normalize(object)]
    }),
  )

/** The build may give a cluster-scoped object of a custom kind a namespace, which the cluster does not. */
const objectIn = (
  objects: ReadonlyMap<string, KubernetesObject>,
  { group, kind, namespace, name }: ObjectRef,
): KubernetesObject | undefined => {
  const exact = objects.get(keyOf(group, kind, namespace, name))
  if (exact || namespace) return exact
  return objects.values().find(o => groupOf(o.apiVersion) === group && o.kind === kind && o.metadata.name === name)
}

const valueAt = (object: unknown, steps: readonly Step[]): unknown =>
  steps.reduce<unknown>((value, step) => {
    if (typeof step === 'string') return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
    return Array.isArray(value) ? value.find(item => isObject(item) && item.name === step.name) : undefined
  }, object)
