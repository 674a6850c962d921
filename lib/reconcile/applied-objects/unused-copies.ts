import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { refKey, refOf } from '../../foundations/kinds/object.ts'
import { namedTarget, targetAnnotation } from '../../foundations/kinds/target-reference.ts'
import type { Hub } from '../../hub/store/hub.ts'
import { ApiError } from '../../hub/store/hub.ts'
import { copiedFrom, dataReadOnHub, pullSecretsOf } from './copies.ts'

export interface UnusedCopies {
  /** Enqueues checks of the copies that may have no referrer after a change. */
  notice(ref: ObjectRef, before: KubernetesObject | undefined, after: KubernetesObject | undefined): void
  /** Checks all copies in Namespaces with a target, so that none remains after a crash. */
  sweep(): Promise<void>
  /** Resolves when all noticed changes are handled. */
  settled(): Promise<void>
}

export interface UnusedCopiesPorts {
  readonly hub: Pick<Hub, 'get' | 'list' | 'referrers' | 'delete'>
  /** Called when work failed; the next sweep retries it. */
  readonly onError: (ref: ObjectRef, error: unknown) => void
}

/**
 * Deletes copies of a cluster's Secrets, ConfigMaps and ServiceAccounts once no object of the hub refers to them any more. If a pass that needs one
 * begins at that moment, its next dry run finds the copy missing and creates it.
 */
export const unusedCopies = ({ hub, onError }: UnusedCopiesPorts): UnusedCopies => {
  const underWay = new Set<Promise<void>>()

  const collect = async (ref: ObjectRef): Promise<void> => {
    const copy = await hub.get(ref)
    if (!isCopy(copy) || (await isUsed(hub, ref))) return
    const { uid, resourceVersion } = copy.metadata
    await hub.delete(ref, { uid, resourceVersion }).catch(error => {
      if (!(error instanceof ApiError && (error.reason === 'NotFound' || error.reason === 'Conflict'))) throw error
    })
  }
  const enqueueCheck = (ref: ObjectRef): void => {
    const collecting = new Promise(setImmediate)
      .then(() => collect(ref))
      .catch(error => onError(ref, error))
      .finally(() => underWay.delete(collecting))
    underWay.add(collecting)
  }
  return {
    notice: (_, before, after) => {
      if (!before || (after && before.metadata.generation === after.metadata.generation)) return
      const kept = new Set(after && dataOf(after).map(refKey))
      for (const ref of dataOf(before)) if (!kept.has(refKey(ref))) enqueueCheck(ref)
    },
    sweep: async () => {
      const { items } = await hub.list({ group: '', kind: 'Namespace' })
      for (const { metadata } of items.filter(({ metadata }) => metadata.annotations?.[targetAnnotation]))
        for (const kind of ['ServiceAccount', 'ConfigMap', 'Secret']) {
          const found = await hub.list({ group: '', kind, namespace: metadata.name })
          for (const copy of found.items.filter(isCopy)) await collect({ ...refOf(copy), kind })
        }
    },
    settled: async () => {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}

const isCopy = (object: KubernetesObject | undefined): object is KubernetesObject =>
  object?.metadata.annotations?.[copiedFrom] !== undefined

const dataOf = (object: KubernetesObject): readonly ObjectRef[] =>
  object.kind === 'ServiceAccount' && isCopy(object)
    ? pullSecretsOf(object, object.metadata.namespace ?? '')
    : dataReadOnHub(object)

/** Kinds that may name a kubeconfig in an annotation, which the index does not cover. */
const appliers = [
  { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization' },
  { group: 'helm.toolkit.fluxcd.io', kind: 'HelmRelease' },
  { group: 'fluxcd.controlplane.io', kind: 'ResourceSet' },
]

/** The index may lag slightly, so its results are checked. */
const isUsed = async (hub: UnusedCopiesPorts['hub'], ref: ObjectRef): Promise<boolean> => {
  const refersToIt = (object: KubernetesObject | undefined) =>
    object !== undefined && dataOf(object).some(found => refKey(found) === refKey(ref))
  for await (const referrer of hub.referrers(ref)) if (refersToIt(await hub.get(referrer))) return true
  if (ref.kind === 'ServiceAccount') return false
  const { namespace } = ref
  const accounts = await hub.list({ group: '', kind: 'ServiceAccount', namespace })
  if (accounts.items.some(refersToIt)) return true
  for (const kind of appliers) {
    const { items } = await hub.list({ ...kind, namespace })
    const targets = items.map(item => namedTarget({ ...item, kind: kind.kind }))
    if (targets.some(target => target && refKey({ group: '', ...target }) === refKey(ref))) return true
  }
  return false
}
