import { isObject } from '../../foundations/kinds/json-object.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Plan, PlanChange, PlanCounts } from '../../foundations/kinds/plan.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'
import { encodeJson } from '../client/encode-json.ts'
import { isSecret } from '../client/mask-secret.ts'
import { type DiffLimits, type Disclosure, fieldDiff, fieldDifferences, withReplacedSecrets } from './field-diff.ts'
import type { PlannedChange, PlannedChanges } from './planned-changes.ts'

/** What is planned, for people: with the fields that change, without the values of Secrets. */
export const describePlanned = (
  changes: readonly PlannedChange[],
  given: Disclosure,
  isWhole = false,
): readonly PlanChange[] => {
  const disclosure = withReplacedSecrets(changes, given)
  return changes.map(({ ref, apiVersion, action, origin, waitsFor, states: changed, desired, locateField }) => {
    const states = changed ?? (isWhole && desired ? { before: emptied(desired), after: desired } : undefined)
    const diff = states && fieldDiff(states.before, states.after, disclosure, isWhole ? whole : undefined)
    const fields = diff?.fields.map(field => {
      const from = field.after === undefined ? undefined : locateField?.(field.path)
      return { ...field, ...(from !== undefined && from !== origin && { from }) }
    })
    return {
      apiVersion,
      kind: ref.kind,
      ...(ref.namespace && { namespace: ref.namespace }),
      name: ref.name,
      action,
      ...(origin !== undefined && { origin }),
      ...(waitsFor !== undefined && { waitsFor }),
      ...(fields && fields.length > 0 && { fields }),
      ...(diff && diff.more > 0 && { moreFields: diff.more }),
    }
  })
}

/** An approver has to see all that is signed, as far as the limit of a plan allows. */
const whole: DiffLimits = { fields: 500, value: 4_000 }

/** An object of the same shape without a value: each field of a new object is listed on its own. */
const emptied = ({ apiVersion, kind, metadata, ...content }: KubernetesObject): KubernetesObject => ({
  ...(withoutValues(content) as object),
  ...{ apiVersion, kind, metadata: { name: metadata.name } },
})

const withoutValues = (value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutValues(inner)]))
    : undefined

/** The limits of a plan: its changes, and the characters of their fields. */
const bounds = { changes: 500, characters: 64_000 }

/** The same of as many changes as a plan may contain, with their fields while the limit allows. `isWhole`: with the content of new objects, too. */
export const listPlanned = (
  changes: readonly PlannedChange[],
  disclosure: Disclosure,
  isWhole = false,
): Pick<Plan, 'changes' | 'moreChanges'> => {
  let left = bounds.characters
  const described = describePlanned(changes.slice(0, bounds.changes), disclosure, isWhole).map(change => {
    const { fields, ...rest } = change
    left -= fields ? JSON.stringify(fields).length : 0
    return !fields || left >= 0 ? change : { ...rest, moreFields: (change.moreFields ?? 0) + fields.length }
  })
  const more = changes.length - described.length
  return { changes: described, ...(more > 0 && { moreChanges: more }) }
}

/** How many objects each action of a plan affects; actions that affect none are absent. */
export const countsOf = ({ changes, unchanged }: Pick<PlannedChanges, 'changes' | 'unchanged'>): PlanCounts => {
  const counts: Record<string, number> = {}
  for (const { action } of changes) counts[action] = (counts[action] ?? 0) + 1
  return { ...counts, ...(unchanged > 0 && { unchanged }) }
}

/** What a plan is made of besides its changes. */
export interface PlannedBuild {
  /** The unit, and the cluster. */
  readonly subject: readonly string[]
  /** Digest of the build. */
  readonly manifests: string
}

/**
 * The digest of a change: another one as soon as another build, or another live value of a field that would change, leads to another change.
 * It can't be used to guess a secret: live values that may not be shown count by the version of their object.
 */
export const planDigest = (
  { subject, manifests }: PlannedBuild,
  changes: readonly PlannedChange[],
  given: Disclosure,
): string => {
  const disclosure = withReplacedSecrets(changes, given)
  return sha256Digest(encodeJson([subject, manifests, changes.map(change => contentOf(change, disclosure))]))
}

const contentOf = ({ ref, action, states, waitsFor }: PlannedChange, disclosure: Disclosure): readonly unknown[] => {
  const name = [ref.group, ref.kind, ref.namespace, ref.name, action, waitsFor ?? null]
  if (!states) return name
  const { before, after } = states
  const { uid, resourceVersion } = before.metadata
  const isHidden = [before, after].some(object => isSecret(object) || disclosure.isHidden(object))
  if (isHidden) return [...name, uid, resourceVersion]
  const fields = [...fieldDifferences(before, after)].map(({ path, from, to }) => [path, from ?? null, to ?? null])
  const text = encodeJson(fields)
  const masked = disclosure.masked(text)
  return [...name, uid, ...(masked === text ? [text] : [masked, resourceVersion])]
}
