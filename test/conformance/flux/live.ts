import { isDeepStrictEqual } from 'node:util'
import type { ClusterError } from '../../../lib/clusters/client/client.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { liveObject } from './refs.ts'
import { isOfHub } from './routed-cluster.ts'
import type { RecordedLive } from './scenario.ts'
import type { World } from './world.ts'

/** A live object as recordings show it, compared with what it was at the end of the step before. */
export interface SeenLive {
  readonly shown: RecordedLive | null
  readonly object: KubernetesObject | undefined
}

export const lookAtLive = async (world: World, key: string): Promise<SeenLive> => {
  const { cluster, apiVersion, ref } = liveObject(key)
  const object = isOfHub(ref.group)
    ? await world.hub.get<KubernetesObject>(ref)
    : await world
        .real(cluster)
        .get(apiVersion, ref)
        .catch((error: ClusterError) => {
          if (error.code === 'noMatch') return undefined
          throw error
        })
  if (!object) return { shown: null, object }
  const before = world.live.get(key)
  const content = contentOf(object)
  return {
    object,
    shown: {
      identity: !before ? 'new' : before.metadata.uid === object.metadata.uid ? 'same' : 'recreated',
      ...(before && { written: isWritten(before, object) }),
      content,
    },
  }
}

/** When Kubernetes' own controllers write a status is not ours to say: on a busy machine it may be in the step after. */
const isWritten = (before: KubernetesObject, object: KubernetesObject): boolean => {
  if (before.metadata.resourceVersion === object.metadata.resourceVersion) return false
  const isOfControllers = !isDeepStrictEqual(before.status, object.status) && hasControllersStatus(object)
  return !isOfControllers || !isDeepStrictEqual(withoutStatus(before), withoutStatus(object))
}

type ManagedFields = NonNullable<KubernetesObject['metadata']['managedFields']>[number]

const isControllersStatus = ({ manager, subresource }: ManagedFields): boolean =>
  manager === 'kube-controller-manager' && subresource === 'status'

const hasControllersStatus = ({ metadata: { managedFields = [] } }: KubernetesObject): boolean =>
  managedFields.some(isControllersStatus)

const withoutStatus = ({ status, metadata, ...object }: KubernetesObject): object => {
  const { resourceVersion, managedFields = [], ...meta } = metadata
  return { ...object, meta, others: managedFields.filter(fields => !isControllersStatus(fields)) }
}

/** As recorded: `unchanged` stands for what the recording has had before. */
export const contentOf = ({ status, spec, metadata, ...object }: KubernetesObject): KubernetesObject => {
  const {
    managedFields = [],
    uid,
    resourceVersion,
    creationTimestamp,
    generation,
    ownerReferences,
    selfLink,
    ...meta
  } = metadata as KubernetesObject['metadata'] & { selfLink?: string }
  // When controllers write a status is not ours to say.
  const managers = managedFields
    .filter(({ subresource }) => !subresource)
    .map(({ manager, operation }) => `${manager}/${operation}`)
  return {
    ...object,
    metadata: meta,
    ...(spec !== undefined && object.kind !== 'CustomResourceDefinition' && { spec }),
    managers: [...new Set(managers)].sort(),
  } as KubernetesObject
}

/** A recording says nothing of the content where it differed from run to run. */
export const withoutStatusManagers = (content: KubernetesObject): KubernetesObject => {
  if (content === undefined) return content
  const { managers = [] } = content as unknown as { managers?: readonly string[] }
  return { ...content, managers: managers.filter(manager => manager.split('/').length === 2) } as KubernetesObject
}
