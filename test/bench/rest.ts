import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Cluster, startCluster } from '../bed/cluster.ts'
import { startGitRepo } from '../bed/git-repo.ts'
import { type Hub, startHub } from '../bed/hub.ts'
import { appFiles } from './mttp-objects.ts'
import { cpuSecondsOf, residentOf } from './process-usage.ts'
import { table } from './table.ts'

export const description = 'an embedded hub at rest: processor and requests an hour, of unchanged Kustomizations'

const usage = `npm run bench -- rest [--clusters 20] [--per-cluster 100] [--interval 2] [--minutes 6]

  --clusters     clusters: one real cluster, by as many kubeconfigs
  --per-cluster  Kustomizations of each, of two objects
  --interval     minutes between two looks at each while it is measured; figures are for one of ten minutes
  --minutes      how long it is measured

Looks that are less than two minutes apart are passes, not visits: a tick is a minute. A quick look: --clusters 5 --per-cluster 20 --minutes 2`

/** What a fleet has, whatever is measured with. */
const usualIntervalMinutes = 10

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      clusters: { type: 'string', default: '20' },
      'per-cluster': { type: 'string', default: '100' },
      interval: { type: 'string', default: '2' },
      minutes: { type: 'string', default: '6' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(usage)
  const [clusters, perCluster] = [Number(values.clusters), Number(values['per-cluster'])]
  const [intervalMs, minutes] = [Number(values.interval) * 60_000, Number(values.minutes)]
  const units = clusters * perCluster
  const settleMs = 2.2 * intervalMs
  const leastMinutes = Math.ceil((settleMs + intervalMs) / 60_000 + minutes)
  console.log(
    `\nTakes ${leastMinutes} minutes and more: fills a hub, waits until all are visited in step, measures, and looks for a last correction`,
  )
  await using target = await startCluster({ name: 'target' })
  await using repo = await startGitRepo(appFiles('mono', perCluster, '0'))
  await using hub = await startHub()
  await fill(hub, target, { clusters, perCluster, interval: values.interval, url: repo.url })
  await until('all are applied', 15 * 60_000, async () => (await present(target)) === units)
  await sleep(settleMs) // by then all are visited in step

  const before = { cpu: cpuSecondsOf(hub.pid!), requests: await requestsOf(target) }
  await sleep(minutes * 60_000)
  const cpu = cpuSecondsOf(hub.pid!) - before.cpu
  const requests = (await requestsOf(target)) - before.requests

  await target.kubectl('delete', 'configmap', '-A', '-l', 'app.kubernetes.io/name', '--wait=false')
  await until(
    'all are corrected: a look did not happen',
    2.5 * intervalMs,
    async () => (await present(target)) === units,
  )

  const looks = (units * minutes * 60_000) / intervalMs
  const anHour = (units * 60) / usualIntervalMinutes
  const of = (value: number) => (value / looks) * anHour
  console.log(
    `\n${units} unchanged Kustomizations on ${clusters} clusters, measured for ${minutes} minutes at an interval of ${values.interval}\n`,
  )
  console.log(
    table(
      [
        'an hour at an interval of 10 minutes',
        'CPU seconds',
        'requests to clusters',
        'CPU ms a look',
        'requests a look',
        'MB',
      ],
      [
        [
          'hub',
          of(cpu).toFixed(1),
          Math.round(of(requests)),
          ((cpu / looks) * 1000).toFixed(2),
          (requests / looks).toFixed(2),
          residentOf(hub.pid!).now,
        ],
      ],
    ),
  )
}

const present = async (target: Cluster): Promise<number> => {
  const found = await target.kubectl('get', 'configmap', '-A', '-l', 'app.kubernetes.io/name', '-o', 'name')
  return found.split('\n').filter(Boolean).length
}

/** Of the hub: it lists and gets ConfigMaps, ServiceAccounts and namespaces, and asks what is served. The cluster's own parts use other ways. */
const requestsOf = async (target: Cluster): Promise<number> => {
  const text = await target.kubectl('get', '--raw', '/metrics')
  const lines = text.matchAll(/^apiserver_request_total\{([^}]*)\} (\S+)$/gm)
  let sum = 0
  for (const [, labels = '', count] of lines)
    if (
      /verb="(GET|LIST|PATCH|APPLY)"/.test(labels) &&
      /resource="(configmaps|serviceaccounts|namespaces|)"/.test(labels)
    )
      sum += Number(count)
  return sum
}

const until = async (what: string, patienceMs: number, holds: () => Promise<boolean>): Promise<void> => {
  const end = performance.now() + patienceMs
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not within ${Math.round(patienceMs / 1000)} s: ${what}`)
    await sleep(2000)
  }
}

interface Fleet {
  readonly clusters: number
  readonly perCluster: number
  readonly interval: string
  readonly url: string
}

async function fill(hub: Hub, target: Cluster, { clusters, perCluster, interval, url }: Fleet): Promise<void> {
  const kubeconfig = readFileSync(target.kubeconfig, 'utf8')
  for (let cluster = 0; cluster < clusters; cluster++) {
    const namespace = `fleet-${cluster}`
    const space = `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${namespace}}\n`
    // A comment makes it another cluster for the hub, with connections of its own.
    const value = Buffer.from(`${kubeconfig}\n# ${cluster}\n`).toString('base64')
    const head = `${space}---
apiVersion: v1
kind: Secret
metadata: {name: target, namespace: ${namespace}}
data: {value: ${value}}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: apps, namespace: ${namespace}}
spec: {interval: 60m, url: "${url}", ref: {branch: main}}
`
    const units = Array.from({ length: perCluster }, (_, unit) => {
      const name = `app-${String(unit).padStart(3, '0')}`
      return `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: ${namespace}}
spec: {interval: ${interval}m, prune: true, path: ./apps/${name}, targetNamespace: ${namespace}, sourceRef: {kind: GitRepository, name: apps}, kubeConfig: {secretRef: {name: target}}}
`
    })
    await target.apply(space)
    await hub.apply([head, ...units].join('---\n'))
  }
}
