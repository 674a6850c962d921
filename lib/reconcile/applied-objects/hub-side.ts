import { isOwnedBy, type Owner, ownerLabels } from '../../clusters/apply/owner.ts'
import { type CallOptions, type ClusterClient, ClusterError } from '../../clusters/client/client.ts'
import { describeRef, groupOf, type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import { describeTarget, targetAnnotation } from '../../foundations/kinds/target-reference.ts'
import { type IsOfHub, placedOnHub } from '../../foundations/rules/hub-placement.ts'
import { type InheritedTarget, inheritedTarget, targetNamespaceAnnotation } from '../../foundations/rules/target.ts'
import { madeForTarget, type NamespaceUse } from './empty-namespaces.ts'
import type { RequireAllowed } from './guarded-hub.ts'
import type { HubNamespaces } from './hub-namespaces.ts'

/** What an applier with an inherited target puts on the hub, in place of its cluster. */
export interface HubSide {
  /** A build with Flux's objects as the hub keeps them; the others are as they were. */
  place<T extends KubernetesObject>(objects: readonly T[]): readonly KubernetesObject[]
  /**
   * The namespaces of the hub that Flux's objects of a build go to and that are not there yet. Fails with a ClusterError when one is
   * another cluster's, or an object is, or when the account may not put the objects there.
   */
  missingNamespaces(objects: readonly KubernetesObject[], options: CallOptions): Promise<readonly string[]>
  createNamespace(name: string, options: CallOptions): Promise<void>
}

export interface HubSideOptions {
  readonly inherited: InheritedTarget
  readonly owner: Owner
  readonly isOfHub: IsOfHub
  readonly namespaces: HubNamespaces
  readonly allowed: RequireAllowed
  /** The hub as it sees itself. */
  readonly hub: ClusterClient
  /** The hub as whoever answers for the target. */
  readonly writer: ClusterClient
}

export const hubSide = (options: HubSideOptions): HubSide => {
  const { inherited, isOfHub, namespaces, allowed, writer } = options
  const isFlux = ({ apiVersion, kind }: KubernetesObject) => isOfHub({ group: groupOf(apiVersion), kind })

  const createNamespace = async (name: string, call: CallOptions): Promise<void> => {
    const onTarget = name.slice(inherited.prefix.length)
    const annotations = {
      [targetAnnotation]: describeTarget(inherited.reference),
      ...(inherited.prefix && { [targetNamespaceAnnotation]: onTarget }),
    }
    const labels = { [madeForTarget]: 'used' satisfies NamespaceUse }
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, annotations, labels } }
    await writer.apply(namespace, { fieldManager: 'keelson', force: true, ...call })
  }
  return {
    place: objects => objects.map(object => (isFlux(object) ? placedOnHub(object, inherited, isOfHub) : object)),
    missingNamespaces: async (objects, call) => {
      const ours = objects.filter(isFlux)
      if (inherited.setOn === 'object') await Promise.all(ours.map(object => requireOwnObject(object, options, call)))
      const names = [...new Set(ours.map(({ metadata }) => metadata.namespace ?? '').filter(Boolean))]
      const isThere = await Promise.all(names.map(name => namespaces.requireOwn(name, call)))
      const missing = names.filter((_, at) => !isThere[at])
      for (const object of ours.filter(({ metadata }) => missing.includes(metadata.namespace ?? '')))
        await allowed(['patch', 'create'], { apiVersion: object.apiVersion, ...refOf(object) }, call)
      return missing
    },
    createNamespace,
  }
}

/**
 * Objects of a namespace that several clusters share may be another's: one that another applier has put there, for another target, is
 * not taken away from it.
 */
const requireOwnObject = async (
  object: KubernetesObject,
  { hub, inherited, owner }: HubSideOptions,
  call: CallOptions,
): Promise<void> => {
  const live = await hub.get(object.apiVersion, refOf(object), call)
  const labels = Object.keys(ownerLabels(owner)).map(label => live?.metadata.labels?.[label])
  if (!live || isOwnedBy(live, owner) || labels.includes(undefined)) return
  const target = inheritedTarget(live, undefined)?.reference
  if (target && describeTarget(target) === describeTarget(inherited.reference)) return
  const [name, namespace] = labels
  throw new ClusterError(
    'conflict',
    `${describeRef(refOf(live))} of the hub is Kustomization ${namespace}/${name}'s, and ${target ? `applies to ${describeTarget(target)}` : 'has another target'}: ` +
      'give each cluster namespaces of its own on the hub, by the annotation ' +
      `${targetNamespaceAnnotation} of a Namespace`,
  )
}
