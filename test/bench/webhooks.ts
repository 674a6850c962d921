import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { type Cluster, startCluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { type GitRepo, startGitRepo } from '../bed/git-repo.ts'
import { startHub } from '../bed/hub.ts'
import { kubectlProgram } from '../bed/testcluster.ts'
import { notReconciled, postPush, receivedAt, webhookBurst } from '../bed/webhook-burst.ts'
import { startDeployedHub } from './deployed-hub.ts'
import { table } from './table.ts'

export const description =
  'signed webhooks: how long from a push to the cluster, and a burst of them, each acted upon once'

const usage = `npm run bench -- webhooks [--platform embedded] [--pushes 20] [--burst 1000] [--seconds 10]

  --platform  embedded: a process on this machine; aws: the stack of infra/, deployed into an emulator
  --pushes    pushes whose way from the webhook to the cluster is timed, one after another
  --burst     webhooks for as many sources, spread over --seconds`

/** A hub on either platform, as far as the bench uses it. */
interface BenchedHub extends AsyncDisposable {
  /** Where webhooks go to. */
  readonly edge: string
  create(manifests: string): Promise<string>
  get<T>(...args: string[]): Promise<T>
}

const platforms: Readonly<Record<string, () => Promise<BenchedHub>>> = {
  embedded: async () => {
    const hub = await startHub()
    return Object.assign(hub, { create: hub.apply })
  },
  aws: () => startDeployedHub('bench'),
}

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      platform: { type: 'string', default: 'embedded' },
      pushes: { type: 'string', default: '20' },
      burst: { type: 'string', default: '1000' },
      seconds: { type: 'string', default: '10' },
      help: { type: 'boolean', default: false },
    },
  })
  const start = platforms[values.platform]
  if (values.help || !start) return console.log(usage)
  await using hub = await start()
  if (values.pushes !== '0') await timePushes(hub, Number(values.pushes))
  if (values.burst !== '0') await burst(hub, Number(values.burst), Number(values.seconds))
}

const patient = { within: 1_800_000, every: 1000 }
const token = 'a shared secret'

/** From the webhook of a push to the change in the cluster. */
async function timePushes(hub: BenchedHub, count: number): Promise<void> {
  const manifest = (value: number): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: pushed, namespace: default}\ndata: {value: "${value}"}\n`
  await using target = await startCluster({ name: 'target' })
  await using repo = await startGitRepo({ 'app/config.yaml': manifest(0) })
  await hub.create(oneApp(repo, target))
  const address = (await addressesIn(hub, 'default')).get('github')!
  await using seen = valuesIn(await kubectlProgram(), target.kubeconfig)
  await seen.value('0')

  const latencies: number[] = []
  for (let push = 1; push <= count; push++) {
    const after = await repo.push({ 'app/config.yaml': manifest(push) })
    const start = performance.now()
    const arrived = seen.value(String(push))
    assert.equal(
      await postPush(address, { ref: 'refs/heads/main', after, repository: { clone_url: repo.url } }, token),
      200,
    )
    latencies.push((await arrived) - start)
  }
  console.log(`\n${count} pushes, one after another: from the webhook to the cluster, in ms`)
  console.log(table(['p50', 'p90', 'p99', 'worst'], [percentiles(latencies)]))
}

const percentiles = (values: readonly number[]): number[] => {
  const sorted = values.toSorted((a, b) => a - b)
  return [0.5, 0.9, 0.99, 1].map(share => Math.round(sorted[Math.ceil(share * sorted.length) - 1]!))
}

/** A Kustomization of a repository, into a cluster, with a Receiver for its pushes. */
const oneApp = (repo: GitRepo, target: Cluster): string => `
apiVersion: v1
kind: Secret
metadata: {name: token, namespace: default}
stringData: {token: ${token}}
---${kubeconfigSecret('target', target)}${fleetRepository(repo, '{fleet: one}')}
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: default}
spec:
  interval: 1h
  prune: true
  path: app
  sourceRef: {kind: GitRepository, name: fleet}
  kubeConfig: {secretRef: {name: target}}
---
apiVersion: notification.toolkit.fluxcd.io/v1
kind: Receiver
metadata: {name: github, namespace: default}
spec:
  type: github
  secretRef: {name: token}
  resources: [{kind: GitRepository, name: '*', matchLabels: {fleet: one}}]
`

/** Where the Receivers of a namespace listen, by name, once all of them do. */
const addressesIn = (hub: BenchedHub, namespace: string): Promise<ReadonlyMap<string, string>> =>
  eventually(async () => receivedAt(hub.edge, await hub.get('receivers', '-n', namespace)), patient)

/** Sees the ConfigMap's values over a watch, as soon as the API server tells; each once, at the time when it came. */
const valuesIn = (program: string, kubeconfig: string) => {
  const output = ['-w', '-o', 'jsonpath={.items[*].data.value}{.data.value}{"\\n"}']
  const selection = ['get', 'configmap', '-n', 'default', '--field-selector', 'metadata.name=pushed']
  const child = spawn(program, ['--kubeconfig', kubeconfig, ...selection, ...output], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const cameAt = new Map<string, PromiseWithResolvers<number>>()
  const of = (value: string) => {
    const known = cameAt.get(value) ?? Promise.withResolvers<number>()
    cameAt.set(value, known)
    return known
  }
  createInterface(child.stdout).on('line', value => of(value).resolve(performance.now()))
  return {
    value: (value: string): Promise<number> => of(value).promise,
    [Symbol.asyncDispose]: async () => void child.kill(),
  }
}

interface Sources {
  readonly items: Parameters<typeof notReconciled>[0]
}

const madeAtOnce = 3

/** As many sources as webhooks; each webhook is about one of them. */
async function burst(hub: BenchedHub, count: number, seconds: number): Promise<void> {
  await using repo = await startGitRepo({ 'README.md': 'nothing to apply' })
  const { manifests, send } = await webhookBurst(count, repo)
  const [common, ...groups] = manifests
  await hub.create(common)
  for (let at = 0; at < groups.length; at += madeAtOnce)
    await Promise.all(groups.slice(at, at + madeAtOnce).map(group => hub.create(group)))
  const addresses = await addressesIn(hub, 'burst')
  const sources = async () => (await hub.get<Sources>('gitrepositories', '-n', 'burst')).items
  await eventually(
    async () => assert.equal((await sources()).filter(({ status }) => !status?.artifact).length, 0),
    patient,
  )
  const looksBefore = repo.operations().length

  const start = performance.now()
  const secondsSince = () => Number(((performance.now() - start) / 1000).toFixed(1))
  const answers = await send(addresses, seconds)
  const answeredIn = secondsSince()
  await eventually(async () => assert.equal(notReconciled(await sources()), 0), patient)
  const reconciledIn = secondsSince()
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  console.log(`\n${count} webhooks within ${seconds} s, for ${count} sources`)
  const looks = repo.operations().length - looksBefore
  const header = [
    'all answered after s',
    'all reconciled after s',
    'answer ms p50',
    'p90',
    'p99',
    'worst',
    'looks at the repository',
  ]
  console.log(table(header, [[answeredIn, reconciledIn, ...percentiles(answers.map(({ ms }) => ms)), looks]]))
  assert.equal(looks, count, 'each webhook causes exactly one look at its source')
}
