import type { Release } from '../../engines/helm/release/release.ts'
import { describeRef, type KubernetesObject, refKey, refOf } from '../../foundations/kinds/object.ts'
import { compareApplyOrder } from '../../foundations/rules/apply-order.ts'
import { contentOf } from '../apply/drift.ts'
import { managersPatch } from '../apply/field-managers.ts'
import { type IgnoredFields, withoutFields } from '../apply/ignored-fields.ts'
import { isDefinitelyApplied } from '../apply/managed-fields.ts'
import { normalize } from '../apply/normalize.ts'
import { observe } from '../apply/observe.ts'
import type { Owner } from '../apply/owner.ts'
import type { ActionDeps } from './action.ts'
import { type JsonOperation, jsonDifference } from './json-difference.ts'
import { eachOf, objectsOf } from './objects.ts'
import { withOwnership } from './ownership.ts'
import { ActionFailed, withContext } from './run.ts'

export interface DriftOptions {
  /** Its labels find the objects of the release with few requests. */
  readonly owner: Owner
  readonly fieldManager: string
  readonly ignored: IgnoredFields
  /** Managers whose fields are taken over before the comparison (`--override-manager`). */
  readonly overriddenManagers: readonly string[]
}

/** How an object differs from the release: it was removed or changed, or is excluded from the comparison. */
export type Difference =
  | { readonly type: 'removed' | 'excluded'; readonly desired: KubernetesObject }
  | {
      readonly type: 'changed'
      readonly desired: KubernetesObject
      readonly operations: readonly JsonOperation[]
      /** The object on the cluster, and as it would be corrected, without the ignored fields. */
      readonly states: { readonly before: KubernetesObject; readonly after: KubernetesObject }
    }

/**
 * Compares the cluster with the stored manifest: lists the release's objects and compares managed fields, and makes dry runs where these do not
 * decide. Throws ActionFailed with all objects that could not be compared.
 */
export const diff = async (
  deps: ActionDeps,
  release: Release,
  namespace: string,
  options: DriftOptions,
): Promise<readonly Difference[]> => {
  const id = { name: release.name, namespace: release.namespace ?? namespace }
  const objects = (await objectsOf(deps, release.manifest ?? '', id.namespace)).map(object =>
    withOwnership(normalize(object), id),
  )
  const targets = objects.map(object => ({ apiVersion: object.apiVersion, ref: refOf(object) }))
  const observed = await observe(deps.cluster, targets, options.owner, { signal: deps.signal })
  const results = await eachOf(objects, object => compare(deps, object, observed.get(refKey(refOf(object))), options))
  const failures = results.filter(result => result.status === 'rejected').map(({ reason }) => reason)
  const reported = failures.map(failure => withContext('', failure))
  const other = reported.find(failure => !(failure instanceof ActionFailed))
  if (other) throw other
  if (failures.length === 1) throw new ActionFailed((failures[0] as Error).message, failures[0])
  if (failures.length > 1) throw new ActionFailed(`[${failures.map(({ message }) => message).join(', ')}]`)
  return results.flatMap(result => (result.status === 'fulfilled' && result.value ? [result.value] : []))
}

const compare = async (
  deps: ActionDeps,
  desired: KubernetesObject,
  observed: KubernetesObject | undefined,
  { fieldManager, ignored, overriddenManagers }: DriftOptions,
): Promise<Difference | undefined> => {
  const { cluster, signal } = deps
  const ref = refOf(desired)
  const pointers = ignored(desired)
  if (isExcluded(desired) || pointers.some(pointer => pointer.length === 0)) return { type: 'excluded', desired }
  let live = observed ?? (await cluster.get(desired.apiVersion, ref, { signal }))
  if (!live) return { type: 'removed', desired }
  if (isExcluded(live)) return { type: 'excluded', desired }
  const takeover = managersPatch(
    live,
    fieldManager,
    overriddenManagers.flatMap(prefix => [
      { prefix, operation: 'Apply' as const },
      { prefix, operation: 'Update' as const },
    ]),
  )
  if (takeover)
    live = await cluster.patch(
      desired.apiVersion,
      ref,
      { type: 'json', operations: takeover },
      { fieldManager, signal },
    )
  else if (isDefinitelyApplied(desired, live, fieldManager)) return undefined
  let dryRun: KubernetesObject
  try {
    dryRun = await cluster.apply(desired, { fieldManager, force: true, dryRun: true, signal })
  } catch (error) {
    throw withContext(`${describeRef(ref)} dry-run failed`, error)
  }
  const states = { before: withoutFields(live, pointers), after: withoutFields(dryRun, pointers) }
  const operations = operationsOf(states.before, states.after)
  return operations.length > 0 ? { type: 'changed', desired, operations, states } : undefined
}

/** Ignores labels and annotations that the release does not have: others may add their own. */
const operationsOf = (live: KubernetesObject, dryRun: KubernetesObject): readonly JsonOperation[] => [
  ...(['annotations', 'labels'] as const).flatMap(field =>
    jsonDifference(
      live.metadata[field] === undefined ? {} : { metadata: { [field]: live.metadata[field] } },
      dryRun.metadata[field] === undefined ? {} : { metadata: { [field]: dryRun.metadata[field] } },
    ).filter(({ op }) => op !== 'remove'),
  ),
  ...jsonDifference(contentOf(live), contentOf(dryRun)),
]

const DISABLED = 'helm.toolkit.fluxcd.io/driftDetection'

const isExcluded = ({ metadata: { labels, annotations } }: KubernetesObject): boolean =>
  labels?.[DISABLED] === 'disabled' || annotations?.[DISABLED] === 'disabled'

/** The result of a correction: the corrected objects, and a line per object that could not be corrected. */
export interface Correction {
  readonly corrected: readonly KubernetesObject[]
  readonly failures: readonly string[]
}

/** Recreates removed objects in the order of their kinds, then patches changed ones. Leaves excluded objects alone. */
export const correct = async (
  { cluster, signal }: ActionDeps,
  differences: readonly Difference[],
  fieldManager: string,
): Promise<Correction> => {
  const corrected: KubernetesObject[] = []
  const failures: string[] = []
  const inOrder = differences.toSorted((a, b) => compareApplyOrder(refOf(a.desired), refOf(b.desired)))
  const attempt = async (what: string, desired: KubernetesObject, write: () => Promise<unknown>) => {
    try {
      await write()
      corrected.push(desired)
    } catch (error) {
      const reported = withContext(`${describeRef(refOf(desired))} ${what} failure`, error)
      if (!(reported instanceof ActionFailed)) throw reported
      failures.push(reported.message)
    }
  }
  for (const difference of inOrder) {
    if (difference.type !== 'removed') continue
    const { desired } = difference
    await attempt('creation', desired, () => cluster.create(desired, { fieldManager, signal }))
  }
  for (const difference of inOrder) {
    if (difference.type !== 'changed') continue
    const { desired, operations } = difference
    await attempt('patch', desired, () =>
      cluster.patch(desired.apiVersion, refOf(desired), { type: 'json', operations }, { fieldManager, signal }),
    )
  }
  return { corrected, failures }
}

/** One line per difference, like Flux's events: counts, never values. */
export const describeDifference = (difference: Difference): string => {
  const name = describeRef(refOf(difference.desired))
  if (difference.type !== 'changed') return `${name} ${difference.type}`
  const count = (op: JsonOperation['op']) => difference.operations.filter(operation => operation.op === op).length
  return `${name} changed (${count('add')} additions, ${count('replace')} changes, ${count('remove')} removals)`
}
