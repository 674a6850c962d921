import type { Cluster } from '../../../../lib/foundations/kinds/cluster.ts'
import type { Condition, KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { describeOutage } from '../../../../lib/foundations/rules/outage.ts'

/** Objects of fleets, as their statuses stand. */

const since = '2026-11-27T14:00:00Z'

export const condition = (
  type: string,
  status: Condition['status'],
  reason: string,
  message: string,
  lastTransitionTime = since,
): Condition => ({ type, status, reason, message, lastTransitionTime })

export const ready = condition('Ready', 'True', 'ReconciliationSucceeded', 'Applied revision: main@sha1:1')
export const failed = (reason: string, message: string): Condition => condition('Ready', 'False', reason, message)

interface Parts {
  readonly conditions?: readonly Condition[]
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: Readonly<Record<string, unknown>>
  readonly namespace?: string
}

/** An object whose status is about its present spec. */
export const objectOf = (
  kind: string,
  name: string,
  { conditions = [ready], spec = {}, status = {}, namespace = 'apps' }: Parts = {},
): KubernetesObject =>
  ({
    ...{ apiVersion: 'v1', kind, metadata: { name, namespace, generation: 1 }, spec },
    status: { observedGeneration: 1, conditions, ...status },
  }) as unknown as KubernetesObject

/** A Kustomization of GitRepository `app`, on the cluster of a Secret. */
export const unitOn = (secret: string, name: string, { spec, ...parts }: Parts = {}): KubernetesObject =>
  objectOf('Kustomization', name, {
    ...parts,
    spec: {
      ...{ kubeConfig: { secretRef: { name: secret } }, sourceRef: { kind: 'GitRepository', name: 'app' }, path: './' },
      ...spec,
    },
  })

export const clusterOf = (name: string, { spec, ...parts }: Parts = {}): Cluster =>
  objectOf('Cluster', name, { ...parts, spec: { kubeConfig: { secretRef: { name } }, ...spec } }) as Cluster

const dead = (server: string): string =>
  describeOutage({ server, problem: 'dial tcp 10.0.0.1:6443: connect: connection refused' })

/** As a unit of a dead cluster says it. */
export const unreachable = (server: string): Condition => failed('ClusterUnreachable', dead(server))
