import { isDeepStrictEqual } from 'node:util'
import type { ChangeSet } from '../../clusters/apply/change-set.ts'
import { type CallOptions, type ClusterClient, ClusterError } from '../../clusters/client/client.ts'
import {
  describeRef,
  groupOf,
  type KubernetesObject,
  type ObjectRef,
  refKey,
  refOf,
} from '../../foundations/kinds/object.ts'
import { describeTarget } from '../../foundations/kinds/target-reference.ts'
import type { IsOfHub } from '../../foundations/rules/hub-placement.ts'
import type { InheritedTarget } from '../../foundations/rules/target.ts'
import { WouldWrite } from '../runtime/dry-run.ts'
import { copiedFrom, dataReadOnHub, isData, pullSecretsOf } from './copies.ts'
import type { RequireAllowed } from './guarded-hub.ts'
import type { HubNamespaces } from './hub-namespaces.ts'

export interface SharedReferencesOptions {
  readonly inherited: InheritedTarget
  readonly isOfHub: IsOfHub
  readonly namespaces: HubNamespaces
  /** The hub, where copies are written. */
  readonly writer: ClusterClient
  /** The cluster with the identity of the acting account. */
  readonly cluster: ClusterClient
  /** The account's permissions on the cluster also decide what may be copied from a build that has not been applied yet. */
  readonly allowed: RequireAllowed
  /** Whether an object of the hub refers to another. */
  readonly hasReferrers: (ref: ObjectRef) => Promise<boolean>
}

/** Copies to the hub the objects that its Flux objects refer to: with Flux, they would be beside them on the cluster. */
export interface SharedReferences {
  /**
   * Before a build is applied: copies the objects that its Flux objects refer to, from the build or else from the cluster. Resolves to whether all
   * of them are on the hub: others may still create the rest on the cluster. A dry run fails with WouldWrite if some are missing.
   */
  ofBuild(objects: readonly KubernetesObject[], options: CallOptions & { readonly isDryRun: boolean }): Promise<boolean>
  /** After a build was applied: copies changed objects that others on the hub refer to. */
  ofChanges(objects: readonly KubernetesObject[], changes: ChangeSet, options: CallOptions): Promise<void>
}

/** The copies of one pass. Objects of the hub that are no copies are never overwritten, whatever the cluster has. */
export const sharedReferences = (options: SharedReferencesOptions): SharedReferences => {
  const { inherited, isOfHub, namespaces, writer, cluster, allowed, hasReferrers } = options
  const onCluster = (ref: ObjectRef): ObjectRef => ({ ...ref, namespace: ref.namespace.slice(inherited.prefix.length) })
  const onHub = (ref: ObjectRef): ObjectRef => ({ ...ref, namespace: inherited.prefix + ref.namespace })

  /** Resolves to whether the object is on the hub. */
  const copy = async (ref: ObjectRef, original: Original, { isDryRun, ...call }: CopyOptions): Promise<boolean> => {
    if (!(await namespaces.requireOwn(ref.namespace, call))) return false
    const present = await writer.get('v1', ref, call)
    if (present && !present.metadata.annotations?.[copiedFrom]) return true
    const wanted = original && original !== 'unknown' ? contentOf(original) : undefined
    if (original === 'unknown' || isDeepStrictEqual(present && contentOf(present), wanted)) return present !== undefined
    if (isDryRun) throw new WouldWrite(`a copy of ${describeRef(ref)}`)
    if (wanted) {
      const annotations = { [copiedFrom]: describeTarget(inherited.reference) }
      const metadata = { name: ref.name, namespace: ref.namespace, annotations }
      const object = { apiVersion: 'v1', kind: ref.kind, metadata, ...wanted }
      await writer.apply(object, { fieldManager: 'keelson', force: true, ...call })
    } else await writer.delete('v1', ref, { propagation: 'Background', uid: present?.metadata.uid, ...call })
    return wanted !== undefined
  }

  return {
    ofBuild: async (objects, { isDryRun, ...call }) => {
      const built = byRef(objects)
      const seen = new Set<string>()
      let isComplete = true
      const share = async (refs: readonly ObjectRef[]): Promise<void> => {
        for (const ref of refs.filter(ref => !seen.has(refKey(ref)))) {
          seen.add(refKey(ref))
          const there = onCluster(ref)
          const isBuilt = built.has(refKey(there))
          if (isBuilt) await allowed(['patch', 'create'], { apiVersion: 'v1', ...ref }, call)
          const original = isBuilt ? built.get(refKey(there)) : await readAllowed(cluster, there, call)
          if (!(await copy(ref, original, { ...call, isDryRun }))) isComplete = false
          await share(pullSecretsOf(original === 'unknown' ? undefined : original, ref.namespace))
        }
      }
      const isFlux = ({ apiVersion, kind }: KubernetesObject) => isOfHub({ group: groupOf(apiVersion), kind })
      await share(objects.filter(isFlux).flatMap(dataReadOnHub))
      if (isDryRun && !isComplete) throw new WouldWrite('copies of missing objects')
      return isComplete
    },
    ofChanges: async (objects, changes, call) => {
      const built = byRef(objects)
      for (const { ref, action } of changes) {
        if (!isData(ref) || (action !== 'created' && action !== 'configured')) continue
        const there = onHub(ref)
        if (!(await hasReferrers(there)) || !(await belongsToTarget(namespaces, there.namespace, call))) continue
        await copy(there, built.get(refKey(ref)), { ...call, isDryRun: false })
      }
    },
  }
}

/** Whether a namespace of the hub belongs to the target. One with the same name, but with no target or another one, has its own data. */
const belongsToTarget = (namespaces: HubNamespaces, name: string, call: CallOptions): Promise<boolean> =>
  namespaces.requireOwn(name, call).catch(error => {
    if (error instanceof ClusterError && error.code === 'forbidden') return false
    throw error
  })

/** The object to copy, undefined if it does not exist, or 'unknown'. */
type Original = KubernetesObject | undefined | 'unknown'

interface CopyOptions extends CallOptions {
  readonly isDryRun: boolean
}

const byRef = (objects: readonly KubernetesObject[]): ReadonlyMap<string, KubernetesObject> =>
  new Map(objects.map(object => [refKey(refOf(object)), object]))

/** An object that the account may not read, or of a cluster that does not respond, is unknown. */
const readAllowed = async (cluster: ClusterClient, ref: ObjectRef, call: CallOptions): Promise<Original> => {
  try {
    return await cluster.get('v1', ref, call)
  } catch (error) {
    if (error instanceof ClusterError) return 'unknown'
    throw error
  }
}

/** All fields except identity and owner. Text is encoded as in responses. */
const contentOf = (object: KubernetesObject): Readonly<Record<string, unknown>> => {
  const { apiVersion, kind, metadata, stringData, data, secrets, ...rest } = object as KubernetesObject & {
    readonly stringData?: Readonly<Record<string, string>>
    readonly data?: Readonly<Record<string, string>>
  }
  const encoded = Object.entries(stringData ?? {}).map(([key, text]) => [key, Buffer.from(text).toString('base64')])
  const all = { ...data, ...Object.fromEntries(encoded) }
  const type = kind === 'Secret' && { type: rest.type ?? 'Opaque' }
  return { ...rest, ...type, ...(Object.keys(all).length > 0 && { data: all }) }
}
