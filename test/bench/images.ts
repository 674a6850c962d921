import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { apiClient } from '../attack/api-client.ts'
import { type Cluster, startCluster } from '../bed/cluster.ts'
import { startHub } from '../bed/hub.ts'
import { startImagePipeline } from '../bed/image-pipeline.ts'
import { quantile } from './quantile.ts'
import { table } from './table.ts'

export const description = 'from a push to a registry to the commit and to the cluster: milliseconds'

const usage = `npm run bench -- images [--pushes 10]

  --pushes  tags pushed one after another; each must be in git and on the cluster within 60 s

Registry (distribution, with its own notifications), git server, hub and Kubernetes cluster are real, and share this machine. All intervals are an hour.`

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { pushes: { type: 'string', default: '10' }, help: { type: 'boolean', default: false } },
  })
  if (values.help) return console.log(usage)
  await using target = await startCluster({ name: 'target' })
  await using hub = await startHub()
  await using pipeline = await startImagePipeline(hub, target)
  await hub.kubectl('wait', 'imagepolicy/app', 'iua/auto', 'ks/app', '--for=condition=Ready', '--timeout=60s')
  const read = await readerOf(target)
  const [toCommit, toCluster]: [number[], number[]] = [[], []]
  for (let push = 1; push <= Number(values.pushes); push++) {
    const wanted = `${pipeline.image}:1.${push}.0`
    await pipeline.push(`1.${push}.0`)
    const pushedAt = performance.now()
    const [committed, applied] = await Promise.all([
      millisecondsUntil(pushedAt, `${wanted} is in git`, async () =>
        (await pipeline.repo.git('show', 'main:app.yaml')).includes(wanted),
      ),
      millisecondsUntil(pushedAt, `${wanted} is on the cluster`, async () => (await read()) === wanted),
    ])
    toCommit.push(committed)
    toCluster.push(applied)
  }
  console.log(`\n${values.pushes} pushes of a tag, one after another: milliseconds from the end of the push\n`)
  const row = (what: string, times: readonly number[]) => [what, ...[0, 0.5, 1].map(share => quantile(times, share))]
  const rows = [row('the commit is in the branch', toCommit), row('the cluster has the image', toCluster)]
  console.log(table(['until', 'least', 'median', 'most'], rows))
}

/** Reads the image of the ConfigMap on the cluster, over one connection. */
const readerOf = async (target: Cluster): Promise<() => Promise<string | undefined>> => {
  const view = await target.kubectl('config', 'view', '--raw', '-o', 'json')
  const { clusters, users } = JSON.parse(view) as Kubeconfig
  const [{ cluster }, { user }] = [clusters[0]!, users[0]!]
  const ca = Buffer.from(cluster['certificate-authority-data'], 'base64')
  const client = apiClient({ server: cluster.server, ca, token: user.token })
  return async () => {
    const { body } = await client.request('GET', '/api/v1/namespaces/default/configmaps/app')
    return (body as { readonly data?: { readonly image?: string } }).data?.image
  }
}

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: Record<'server' | 'certificate-authority-data', string> }[]
  readonly users: readonly { readonly user: { readonly token: string } }[]
}

const limitMs = 60_000

/** Fails when it takes longer than a minute. */
const millisecondsUntil = async (since: number, what: string, holds: () => Promise<boolean>): Promise<number> => {
  while (!(await holds())) {
    if (performance.now() - since > limitMs) throw new Error(`not within ${limitMs / 1000} s: ${what}`)
    await sleep(20)
  }
  return performance.now() - since
}
