import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { stageLimits } from '../../../infra/stage-limits.ts'
import type { Hub } from '../../../lib/hub/store/hub.ts'
import { awsClients } from '../../../lib/platform/adapters/aws/aws-clients.ts'
import type { Stage } from '../../../lib/platform/ports/queue.ts'
import { startAwsEmulator } from '../../bed/aws/emulator.ts'
import { makeResources } from '../../bed/aws/resources.ts'
import { type SimulatedDynamo, simulatedDynamo } from '../../bed/aws/simulated-dynamo.ts'
import { type Cluster, startCluster } from '../../bed/cluster.ts'
import { type GitRepo, startGitRepo } from '../../bed/git-repo.ts'
import { appFiles } from '../mttp-objects.ts'
import { delayingProxy } from './delaying-proxy.ts'
import { type MeteredFunctions, meteredFunctions } from './metered-functions.ts'
import { simulatedSqs } from './simulated-sqs.ts'
import { virtualTime } from './virtual-time.ts'

export interface FleetSize {
  readonly clusters: number
  readonly perCluster: number
  readonly intervalMinutes: number
}

/** A hub's functions in this process, with a fleet whose clusters are one real cluster behind as many addresses. */
export interface SimulatedFleet {
  readonly functions: MeteredFunctions
  readonly dynamo: SimulatedDynamo
  readonly git: GitRepo
  /** Lets so many minutes go by, with a tick each, and works off what the queues deliver meanwhile. */
  pass(minutes: number): Promise<void>
  /** Works off what the queues deliver within so many seconds. */
  settle(seconds: number): Promise<void>
  /** Makes the objects of the fleet and lets it come to rest. */
  fill(): Promise<void>
  /** As a webhook asks: the repository of the first cluster is looked at again. */
  request(): Promise<void>
  /** Deletes an object of each Kustomization from its cluster behind the hub's back. */
  drift(): Promise<void>
  /** How many of those objects are there. */
  present(): Promise<number>
  close(): Promise<void>
}

/** How long a request to DynamoDB takes in its own region, and an answer of a cluster. Milliseconds. */
const latency = { table: 4, cluster: 20 }

const namespaceOf = (cluster: number): string => `fleet-${cluster}`
const appOf = (unit: number): string => `app-${String(unit).padStart(3, '0')}`
const fieldManager = 'bench'

export async function startSimulatedFleet({
  clusters,
  perCluster,
  intervalMinutes,
}: FleetSize): Promise<SimulatedFleet> {
  const emulator = await startAwsEmulator()
  Object.assign(process.env, emulator.env)
  const { hubName, table, bucket, kmsKey, queues } = await makeResources(awsClients())
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
    await startGitRepo(appFiles('mono', perCluster, '0')),
  ]
  const proxies = await Promise.all(
    Array.from({ length: clusters }, () => delayingProxy(new URL(target.server), latency.cluster)),
  )
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
    git,
    settle: seconds => deliverUntil(time.now() + seconds * 1000),
    pass: async minutes => {
      for (let minute = 0; minute < minutes; minute++) {
        const began = time.now()
        await functions.invoke('tick', {})
        await deliverUntil(began + 60_000)
      }
    },
    fill: async () => {
      for (const [cluster, { port }] of proxies.entries()) {
        const kubeconfig = readFileSync(target.kubeconfig, 'utf8').replace(target.server, `https://127.0.0.1:${port}`)
        await makeCluster(hub, target, { cluster, kubeconfig, url: git.url, perCluster, intervalMinutes })
      }
      await hub.settled()
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
    close: async () => {
      for (const part of [...proxies, target, git, emulator]) await part[Symbol.asyncDispose]()
    },
  }
}

interface ClusterPlan {
  readonly cluster: number
  readonly kubeconfig: string
  readonly url: string
  readonly perCluster: number
  readonly intervalMinutes: number
}

/** A namespace of the hub for a cluster: its kubeconfig, its repository, its Kustomizations. */
async function makeCluster(hub: Hub, target: Cluster, plan: ClusterPlan): Promise<void> {
  const namespace = namespaceOf(plan.cluster)
  const interval = `${plan.intervalMinutes}m`
  const make = (apiVersion: string, kind: string, name: string, rest: object) =>
    hub.create({ apiVersion, kind, metadata: { name, namespace }, ...rest } as never, { fieldManager })
  const manifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
  await hub.create(manifest, { fieldManager })
  await target.apply(JSON.stringify(manifest))
  const value = Buffer.from(plan.kubeconfig).toString('base64')
  await make('v1', 'Secret', 'target', { data: { value } })
  await make('source.toolkit.fluxcd.io/v1', 'GitRepository', 'apps', {
    spec: { interval, url: plan.url, ref: { branch: 'main' } },
  })
  for (let unit = 0; unit < plan.perCluster; unit++)
    await make('kustomize.toolkit.fluxcd.io/v1', 'Kustomization', appOf(unit), {
      spec: {
        interval,
        prune: true,
        path: `./apps/${appOf(unit)}`,
        targetNamespace: namespace,
        sourceRef: { kind: 'GitRepository', name: 'apps' },
        kubeConfig: { secretRef: { name: 'target' } },
      },
    })
}
