import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import type { Hub } from '../../../lib/hub/store/hub.ts'

/** Makes the units and Clusters of a fleet: one cluster is dead, with its units; one unit in a thousand has a build that fails. */
export const fillFleet = async (hub: Hub, units: number, clusters: number): Promise<void> => {
  const fieldManager = 'bench'
  const write = async (object: KubernetesObject): Promise<void> => {
    await hub.create(object, { fieldManager })
    if (object.status !== undefined) await hub.update(object, { fieldManager, subresource: 'status' })
  }
  const namespace = 'apps'
  await write({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  const source = { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'GitRepository' }
  await write({
    ...{ ...source, metadata: { name: 'app', namespace }, spec: { url: 'https://example.com/app', interval: '1h' } },
    status: { observedGeneration: 1, conditions: [ready('stored artifact')] },
  } as unknown as KubernetesObject)
  const all = [
    ...Array.from({ length: clusters }, (_, i) => clusterOf(i, namespace)),
    ...Array.from({ length: units }, (_, i) => unitOf(i, i % clusters, namespace)),
  ]
  const left = all[Symbol.iterator]()
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      for (const object of left) await write(object)
    }),
  )
}

const at = '2026-11-27T14:00:00Z'
const condition = (status: string, reason: string, message: string) => ({
  ...{ type: 'Ready', status, reason, message, lastTransitionTime: at, observedGeneration: 1 },
})
const ready = (message: string) => condition('True', 'ReconciliationSucceeded', message)

const serverOf = (i: number): string => `https://c${i}.example.com:6443`
const outage = (i: number) =>
  condition(
    'False',
    'ClusterUnreachable',
    `cluster ${serverOf(i)} is unreachable: dial tcp: connect: connection refused`,
  )

const clusterOf = (i: number, namespace: string): KubernetesObject =>
  ({
    apiVersion: 'fleet.keelson.dev/v1alpha1',
    kind: 'Cluster',
    metadata: { name: `c${i}`, namespace },
    spec: { kubeConfig: { secretRef: { name: `c${i}` } } },
    status: {
      ...{ observedGeneration: 1, server: serverOf(i), kubernetesVersion: 'v1.36.3' },
      conditions: [i === 0 ? outage(0) : ready('Kubernetes v1.36.3 answers')],
    },
  }) as unknown as KubernetesObject

/** With an inventory and a history as of a unit of ten objects. */
const unitOf = (i: number, cluster: number, namespace: string): KubernetesObject =>
  ({
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name: `u${i}`, namespace, labels: { team: `t${i % 50}` } },
    spec: {
      ...{ interval: '10m', prune: true, path: `./apps/u${i % 20}`, sourceRef: { kind: 'GitRepository', name: 'app' } },
      kubeConfig: { secretRef: { name: `c${cluster}` } },
    },
    status: {
      ...{ observedGeneration: 1, lastAppliedRevision: revision, lastAttemptedRevision: revision },
      conditions: [
        cluster === 0
          ? outage(0)
          : i % 1000 === 7
            ? condition('False', 'BuildFailed', 'kustomize build failed: no such file')
            : ready(`Applied revision: ${revision}`),
      ],
      inventory: {
        entries: Array.from({ length: 10 }, (_, n) => ({ id: `apps_u${i}-${n}_apps_Deployment`, v: 'v1' })),
      },
      history: [
        {
          ...{
            digest: `sha256:${'0'.repeat(64)}`,
            firstReconciled: at,
            lastReconciled: at,
            lastReconciledDuration: '1s',
          },
          ...{ lastReconciledStatus: 'ReconciliationSucceeded', totalReconciliations: 1, metadata: { revision } },
        },
      ],
    },
  }) as unknown as KubernetesObject

const revision = `main@sha1:${'5'.repeat(40)}`
