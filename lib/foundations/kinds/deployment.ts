/**
 * Deployment, ReplicaSet and Service: read-only, for clients that list the running components. The hub runs no
 * workloads.
 */
import type { Kind } from './kind.ts'
import { shownAge } from './native-columns.ts'
import type { KubernetesObject } from './object.ts'
import type { TypeOf } from './schema/schema.ts'
import { anyObject, object, optional } from './schema/schema.ts'

const schema = object('A workload.', {
  spec: optional(anyObject('Desired state.')),
  status: optional(anyObject('Current state.')),
})

export type Deployment = KubernetesObject & TypeOf<typeof schema>

const workload = (
  kind: string,
  plural: string,
  shortName: string,
  columns: Kind<Deployment>['versions'][0]['columns'],
  group = 'apps',
): Kind<Deployment> => ({
  group,
  kind,
  plural,
  singular: kind.toLowerCase(),
  shortNames: [shortName],
  categories: ['all'],
  namespaced: true,
  hasGeneration: true,
  native: true,
  readOnly: true,
  versions: [{ name: 'v1', storage: true, schema, columns }],
})

const count = ({ status = {} }: Deployment, name: string): number => Number(status[name] ?? 0)
const wanted = ({ spec = {} }: Deployment): number => Number(spec.replicas ?? 0)

export const deployment = workload('Deployment', 'deployments', 'deploy', [
  { name: 'Ready', type: 'string', cell: object => `${count(object, 'readyReplicas')}/${wanted(object)}` },
  { name: 'Up-to-date', type: 'integer', cell: object => count(object, 'updatedReplicas') },
  { name: 'Available', type: 'integer', cell: object => count(object, 'availableReplicas') },
  shownAge,
])

export const replicaSet = workload('ReplicaSet', 'replicasets', 'rs', [
  { name: 'Desired', type: 'integer', cell: wanted },
  { name: 'Current', type: 'integer', cell: object => count(object, 'replicas') },
  { name: 'Ready', type: 'integer', cell: object => count(object, 'readyReplicas') },
  shownAge,
])

/** `kubectl cluster-info` lists a cluster's services; a hub has none. */
export const service = workload('Service', 'services', 'svc', [shownAge], '')
