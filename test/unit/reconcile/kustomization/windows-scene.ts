/** Windows that hold back a Kustomization, with a clock that the test moves. It starts at midnight UTC of 2026-01-01, a Thursday. */
import type { Window } from '../../../../lib/foundations/kinds/window.ts'
import { conditionOf } from '../../../../lib/foundations/rules/conditions.ts'
import { kustomizationRef } from '../../hub/store/world.ts'
import { author, type Scene } from './scene.ts'

export const hour = 3_600_000

/** From one o'clock to three. */
export const nightly: Window = { action: 'Allow', schedule: '0 1 * * *', duration: '2h' }

const prodSecret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'prod', namespace: 'default' },
  data: { value: Buffer.from('of a cluster').toString('base64') },
}
export const prod = { kubeConfig: { secretRef: { name: 'prod' } } }

/** A Cluster for the units that use the Secret `prod`. */
export const clusterWith = async ({ hub }: Scene, spec: object): Promise<void> => {
  await hub.create(prodSecret, author)
  const cluster = {
    apiVersion: 'fleet.keelson.dev/v1alpha1',
    kind: 'Cluster',
    metadata: { name: 'prod', namespace: 'default' },
    spec: { ...prod, ...spec },
  }
  await hub.create(cluster, author)
}

const clusterRef = { group: 'fleet.keelson.dev', kind: 'Cluster', namespace: 'default', name: 'prod' }

export const changeCluster = ({ hub }: Scene, spec: object) =>
  hub.patch(clusterRef, { type: 'merge', patch: { spec } }, author)

export const conditionsOf = async ({ read }: Scene) => {
  const { status } = (await read('app'))!
  const of = (type: string) => conditionOf(status?.conditions, type)
  return { ready: of('Ready'), waiting: of('Waiting'), reconciling: of('Reconciling'), status }
}

/** The reason and message of the condition Waiting. */
export const waiting = async (scene: Scene): Promise<string | undefined> => {
  const { waiting } = await conditionsOf(scene)
  return waiting && `${waiting.status} ${waiting.reason}: ${waiting.message}`
}

export const annotate = ({ hub, settle }: Scene, annotations: Readonly<Record<string, string | null>>) =>
  hub.patch(kustomizationRef('app'), { type: 'merge', patch: { metadata: { annotations } } }, author).then(settle)
