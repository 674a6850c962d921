import { isOwnedBy, type Owner, ownerLabels } from '../../clusters/apply/owner.ts'
import { type CallOptions, type ClusterClient, ClusterError } from '../../clusters/client/client.ts'
import { describeRef, groupOf, type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import { describeTarget, targetAnnotation } from '../../foundations/kinds/target-reference.ts'
import { type IsOfHub, placedOnHub } from '../../foundations/rules/hub-placement.ts'
import { type InheritedTarget, inheritedTarget, targetNamespaceAnnotation } from '../../foundations/rules/target.ts'
import { madeForTarget, type NamespaceUse } from './empty-namespaces.ts'
import type { RequireAllowed } from './guarded-hub.ts'
import type { HubNamespaces } from './hub-namespaces.ts'

/** The part of a build that an applier with an inherited target applies to the hub instead of its cluster. */
export interface HubSide {
  /** Adjusts the Flux objects of a build to the hub; the others are unchanged. */
  place<T extends KubernetesObject>(objects: readonly T[]): readonly KubernetesObject[]
  /**
   * The missing namespaces of the hub for the Flux objects of a build. Fails with a ClusterError if a namespace or an object belongs to another
   * cluster, or if the account may not write the objects.
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
  /** The hub with its own identity. */
  readonly hub: ClusterClient
  /** The hub with the identity of the user who set the target. */
  readonly writer: ClusterClient
}

/**
 * The hub's side of one pass. Namespaces that it creates are marked, so that they are deleted once nothing uses them.
 */
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

/** Several clusters may share a namespace of the hub: an object that another applier created there for another target must not be taken over. */
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
    `${describeRef(refOf(live))} of the hub belongs to Kustomization ${namespace}/${name}, and ${target ? `applies to ${describeTarget(target)}` : 'has another target'}: ` +
      'give each cluster namespaces of its own on the hub, by the annotation ' +
      `${targetNamespaceAnnotation} of a Namespace`,
  )
}
