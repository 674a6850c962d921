import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import { stageLimits } from '../../../infra/stage-limits.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import type { ManagedHub } from '../../../lib/hub/store/create-hub.ts'
import type { Hub } from '../../../lib/hub/store/hub.ts'
import { awsClients } from '../../../lib/platform/adapters/aws/aws-clients.ts'
import type { Stage } from '../../../lib/platform/ports/queue.ts'
import { startAwsEmulator } from '../../bed/aws/emulator.ts'
import { makeResources } from '../../bed/aws/resources.ts'
import { type SimulatedDynamo, simulatedDynamo } from '../../bed/aws/simulated-dynamo.ts'
import { type Cluster, startCluster } from '../../bed/cluster.ts'
import { type GitRepo, startGitRepo } from '../../bed/git-repo.ts'
import type { FileTree } from '../../bed/temp-dir.ts'
import { appFiles } from '../mttp-objects.ts'
import { cachingProxy } from './caching-proxy.ts'
import { delayingProxy } from './delaying-proxy.ts'
import { type MeteredFunctions, meteredFunctions } from './metered-functions.ts'
import { simulatedSqs } from './simulated-sqs.ts'
import { virtualTime } from './virtual-time.ts'

export interface FleetSize {
  readonly clusters: number
  readonly perCluster: number
  readonly intervalMinutes: number
  /** Repositories, those of the clusters among them. */
  readonly repositories: number
  /** What the clusters have; Kustomizations unless given. */
  readonly units?: UnitKind
}

export type UnitKind = 'Kustomization' | 'HelmRelease'

/** A hub's functions in this process, with a fleet whose clusters are one real cluster behind as many addresses. */
export interface SimulatedFleet {
  readonly functions: MeteredFunctions
  readonly dynamo: SimulatedDynamo
  readonly hub: ManagedHub
  /** The real cluster. */
  readonly target: Cluster
  /** Milliseconds since the epoch, in virtual time. */
  now(): number
  /** Changes files of the branch that the first cluster's GitRepository follows: all others follow one that nobody pushes to. */
  push(files: FileTree): Promise<void>
  /** Lets so many minutes go by, with a tick each, and works off what the queues deliver meanwhile. */
  pass(minutes: number): Promise<void>
  /** Works off what the queues deliver within so many seconds. */
  settle(seconds: number): Promise<void>
  /** Makes the repositories: one for each cluster, and others. */
  fillSources(): Promise<void>
  /** Makes the units of each cluster. */
  fillClusters(): Promise<void>
  /** Makes a Cluster of each cluster. */
  declareClusters(): Promise<void>
  /** Makes the last contact of each Cluster so old that its next probe tells of another. */
  ageContacts(): Promise<void>
  /** How many Clusters tell of a contact since then. */
  recentContacts(): Promise<number>
  /** As a webhook asks: the repository of the first cluster is looked at again. */
  request(): Promise<void>
  /** Deletes an object of each unit from its cluster behind the hub's back. */
  drift(): Promise<void>
  /** How many of those objects are there. */
  present(): Promise<number>
  /** How many objects the bucket holds. */
  bucketObjects(): Promise<number>
  close(): Promise<void>
}

/** How long a request to DynamoDB takes in its own region, an answer of a cluster, and one of a forge. Milliseconds. */
const latency = { table: 4, cluster: 20, forge: 100 }

const namespaceOf = (cluster: number): string => `fleet-${cluster}`
const appOf = (unit: number): string => `app-${String(unit).padStart(3, '0')}`
const fieldManager = 'bench'
const quietBranch = 'quiet'

export async function startSimulatedFleet({
  clusters,
  perCluster,
  intervalMinutes,
  repositories,
  units = 'Kustomization',
}: FleetSize): Promise<SimulatedFleet> {
  const emulator = await startAwsEmulator()
  Object.assign(process.env, emulator.env)
  const clients = awsClients()
  const { hubName, table, bucket, kmsKey, queues } = await makeResources(clients)
  Object.assign(process.env, {
    KEELSON_HUB_NAME: hubName,
    KEELSON_TABLE: table,
    KEELSON_BUCKET: bucket,
    KEELSON_KMS_KEY: kmsKey,
    KEELSON_SETTINGS: JSON.stringify({ allowAddresses: '127.0.0.0/8' }),
    ...Object.fromEntries(Object.entries(queues).map(([stage, url]) => [`KEELSON_QUEUE_${stage.toUpperCase()}`, url])),
  })
  const time = virtualTime()
  const dynamo = simulatedDynamo({ latency: () => sleep(latency.table), now: time.now })
  const sqs = simulatedSqs(time.now)
  const functions = meteredFunctions(dynamo, sqs)
  const [target, git]: [Cluster, GitRepo] = [
    await startCluster(),
    await startGitRepo({ ...appFiles('mono', perCluster, '0'), ...chartFiles }),
  ]
  const proxies = await Promise.all(
    Array.from({ length: clusters }, () => delayingProxy(new URL(target.server), latency.cluster)),
  )
  await git.git('branch', quietBranch, 'main')
  const forge = await cachingProxy(new URL(git.url), latency.forge)
  const { hub } = (await import('../../../functions/handlers/function-hub.ts')).hub
  const batchSizeOf = (stage: Stage) => stageLimits[stage].batchSize

  const deliverUntil = async (end: number): Promise<void> => {
    for (let next = sqs.nextAt(); next !== undefined && next <= end; next = sqs.nextAt()) {
      time.moveTo(next)
      const batch = sqs.receive(Math.max(next + 1000, time.now()), batchSizeOf)!
      await functions.deliver(batch.stage, batch.bodies)
    }
    time.moveTo(end)
  }

  return {
    functions,
    dynamo,
    hub,
    target,
    now: time.now,
    push: async files => {
      await git.push(files)
      forge.forget()
    },
    settle: seconds => deliverUntil(time.now() + seconds * 1000),
    pass: async minutes => {
      for (let minute = 0; minute < minutes; minute++) {
        const began = time.now()
        await functions.invoke('tick', {})
        await deliverUntil(began + 60_000)
      }
    },
    fillSources: async () => {
      for (let cluster = 0; cluster < repositories; cluster++)
        await makeRepository(hub, namespaceOf(cluster), {
          ...{ url: forge.url, branch: cluster === 0 ? 'main' : quietBranch, intervalMinutes },
        })
      await hub.settled()
    },
    fillClusters: async () => {
      for (const [cluster, { port }] of proxies.entries()) {
        const kubeconfig = readFileSync(target.kubeconfig, 'utf8').replace(target.server, `https://127.0.0.1:${port}`)
        await makeCluster(hub, target, { cluster, kubeconfig, perCluster, intervalMinutes, units })
      }
      await hub.settled()
    },
    declareClusters: async () => {
      for (let cluster = 0; cluster < clusters; cluster++)
        await make(hub, namespaceOf(cluster), 'fleet.keelson.dev/v1alpha1', 'Cluster', 'target', {
          spec: { interval: `${intervalMinutes}m`, kubeConfig: { secretRef: { name: 'target' } } },
        })
      await hub.settled()
    },
    ageContacts: async () => {
      const patch = { status: { lastContactTime: longAgo } }
      for (let cluster = 0; cluster < clusters; cluster++) {
        const ref = { group: 'fleet.keelson.dev', kind: 'Cluster', namespace: namespaceOf(cluster), name: 'target' }
        await hub.patch(ref, { type: 'merge', patch }, { fieldManager, subresource: 'status' })
      }
      await hub.settled()
    },
    recentContacts: async () => {
      const { items } = await hub.list<DeclaredCluster>({ group: 'fleet.keelson.dev', kind: 'Cluster' })
      return items.filter(({ status: { lastContactTime } }) => lastContactTime !== longAgo).length
    },
    request: async () => {
      const annotations = { 'reconcile.fluxcd.io/requestedAt': new Date(time.now()).toISOString() }
      const ref = { group: 'source.toolkit.fluxcd.io', kind: 'GitRepository', namespace: namespaceOf(0), name: 'apps' }
      await hub.patch(ref, { type: 'merge', patch: { metadata: { annotations } } }, { fieldManager })
      await hub.settled()
    },
    drift: async () => {
      for (let cluster = 0; cluster < clusters; cluster++)
        await target.kubectl('delete', 'configmap', '-n', namespaceOf(cluster), '-l', 'app.kubernetes.io/name')
    },
    present: async () => {
      const found = await target.kubectl('get', 'configmap', '-A', '-l', 'app.kubernetes.io/name', '-o', 'name')
      return found.split('\n').filter(Boolean).length
    },
    bucketObjects: async () => {
      const s3 = await clients.s3()
      let count = 0
      for (let next: string | undefined; ; ) {
        const command = new ListObjectsV2Command({ Bucket: bucket, ContinuationToken: next })
        const { KeyCount = 0, NextContinuationToken } = await s3.send(command)
        count += KeyCount
        if (!NextContinuationToken) return count
        next = NextContinuationToken
      }
    },
    close: async () => {
      for (const part of [...proxies, forge, target, git, emulator]) await part[Symbol.asyncDispose]()
    },
  }
}

const longAgo = '2020-01-01T00:00:00Z'

type DeclaredCluster = KubernetesObject & { readonly status: { readonly lastContactTime?: string } }

const make = (hub: Hub, namespace: string, apiVersion: string, kind: string, name: string, rest: object) =>
  hub.create({ apiVersion, kind, metadata: { name, namespace }, ...rest } as never, { fieldManager })

interface Repository {
  readonly url: string
  readonly branch: string
  readonly intervalMinutes: number
}

/** A namespace of the hub with a repository. */
async function makeRepository(
  hub: Hub,
  namespace: string,
  { url, branch, intervalMinutes }: Repository,
): Promise<void> {
  await hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, { fieldManager })
  await make(hub, namespace, 'source.toolkit.fluxcd.io/v1', 'GitRepository', 'apps', {
    spec: { interval: `${intervalMinutes}m`, url, ref: { branch } },
  })
}

interface ClusterPlan {
  readonly cluster: number
  readonly kubeconfig: string
  readonly perCluster: number
  readonly intervalMinutes: number
  readonly units: UnitKind
}

/** What makes the namespace of a repository that of a cluster: its kubeconfig and its units. */
async function makeCluster(hub: Hub, target: Cluster, plan: ClusterPlan): Promise<void> {
  const namespace = namespaceOf(plan.cluster)
  await target.apply(JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }))
  const value = Buffer.from(plan.kubeconfig).toString('base64')
  await make(hub, namespace, 'v1', 'Secret', 'target', { data: { value } })
  for (let unit = 0; unit < plan.perCluster; unit++) {
    const { apiVersion, spec } = unitOf(plan.units, appOf(unit), namespace)
    const interval = `${plan.intervalMinutes}m`
    const kubeConfig = { secretRef: { name: 'target' } }
    await make(hub, namespace, apiVersion, plan.units, appOf(unit), { spec: { interval, kubeConfig, ...spec } })
  }
}

const sourceRef = { kind: 'GitRepository', name: 'apps' }

const unitOf = (kind: UnitKind, name: string, namespace: string): { apiVersion: string; spec: object } =>
  kind === 'Kustomization'
    ? {
        apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
        spec: { prune: true, path: `./apps/${name}`, targetNamespace: namespace, sourceRef },
      }
    : {
        apiVersion: 'helm.toolkit.fluxcd.io/v2',
        spec: { chart: { spec: { chart: './chart', sourceRef } }, driftDetection: { mode: 'enabled' } },
      }

/** The same two objects as each Kustomization applies, as a chart. */
const chartFiles = {
  'chart/Chart.yaml': 'apiVersion: v2\nname: app\nversion: 0.1.0\n',
  'chart/templates/objects.yaml': ['ConfigMap', 'ServiceAccount']
    .map(
      kind =>
        `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: '{{ .Release.Name }}'\n  labels: {app.kubernetes.io/name: '{{ .Release.Name }}'}\n`,
    )
    .join('---\n'),
}
