import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Cluster, startCluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { type GitRepo, startGitRepo } from '../bed/git-repo.ts'
import { type Hub, startHub } from '../bed/hub.ts'
import { packagedCommand } from '../bed/packaged-command.ts'
import { recordingProxy } from '../bed/recording-proxy.ts'
import { joinToken, type Runner, startRunner } from '../bed/runner.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import { cpuSecondsOf, proportionalOf, residentOf } from './process-usage.ts'
import { quantile } from './quantile.ts'
import { type WatchedObject, watchObjects } from './readiness-watch.ts'
import { table } from './table.ts'

export const description =
  'runners on one machine: memory of each, processor of the hub at rest, time until a change starts'

const usage = `npm run bench -- runners [--n 100] [--minutes 2] [--poll 2s] [--changes 20]

  --n        runners as the package has them, each a process for a Cluster of its own, all of them one real cluster; each takes some 30 MB of its own
  --minutes  how long it is measured
  --poll     time between two requests of a runner that nothing wakes
  --changes  pushes to a repository of one runner, one after the other: how long after the hub has each does the cluster hear of it`

const configMap = (index: number, revision: number): string => `apiVersion: v1
kind: ConfigMap
metadata: {name: app-${index}, namespace: default, labels: {of: runners}}
data: {revision: '${revision}'}
`

const filesOf = (n: number, revision: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: n }, (_, index) => [`app-${index}/a.yaml`, configMap(index, revision)]))

const source = (name: string, url: string): string => `---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: ${name}, namespace: default}
spec: {interval: 1h, url: '${url}', ref: {branch: main}}
`

const unit = (index: number, name = `app-${index}`, source = 'fleet'): string => `---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: default}
spec:
  interval: 10m
  prune: true
  path: ./${name}
  sourceRef: {kind: GitRepository, name: ${source}}
  kubeConfig: {configMapRef: {name: c-${index}}}
`

const haveRevision = async (target: Cluster, n: number, revision: number): Promise<boolean> => {
  const { items } = await target.get<{ items: readonly { data: { revision: string } }[] }>(
    ...['configmap', '-l', 'of=runners'],
  )
  return items.filter(({ data }) => data.revision === String(revision)).length === n
}

/** Of one more runner, which is not counted: its cluster is called through a proxy, which notes when, and knows no HTTP/2. */
const probe = { name: 'probe', repository: 'one' }

const probeFiles = (revision: number) => ({
  [`${probe.name}/a.yaml`]: `apiVersion: v1
kind: ConfigMap
metadata: {name: ${probe.name}, namespace: default}
data: {revision: '${revision}'}
`,
})

type WatchedSource = WatchedObject & { readonly status?: { readonly artifact?: { readonly revision: string } } }

interface Probed {
  readonly hub: Hub
  readonly target: Cluster
  readonly repo: GitRepo
  /** When the cluster had requests about ConfigMaps, by performance.now(). */
  readonly requestedAt: number[]
}

/** Milliseconds from the moment at which a client of the hub sees the artifact to the first request for it at the cluster, of each change. */
const measureStarts = async (
  { hub, target, repo, requestedAt }: Probed,
  changes: number,
): Promise<readonly number[]> => {
  const path = '/apis/source.toolkit.fluxcd.io/v1/namespaces/default/gitrepositories'
  const sources = await watchObjects<WatchedSource>(hub.kubeconfig, path, 60_000)
  try {
    const starts: number[] = []
    for (let change = 1; change <= changes; change++) {
      // Not in step with what runs every second or two.
      await sleep(500 + ((change * 1_370) % 4_000))
      const commit = await repo.push(probeFiles(change))
      const before = performance.now()
      await hub.kubectl(
        'annotate',
        '--overwrite',
        'gitrepository',
        probe.repository,
        `reconcile.fluxcd.io/requestedAt=${change}`,
      )
      const known = await sources.all(
        'artifacts of the commit',
        ({ status }) => status?.artifact?.revision.includes(commit) === true,
        1,
      )
      await eventually(
        async () => {
          const { data } = await target.get<{ data: { revision: string } }>('configmap', probe.name)
          return data.revision === String(change)
        },
        { within: 60_000, every: 100 },
      )
      const first = requestedAt.find(time => time >= before)
      if (first === undefined) throw new Error('the cluster has changed without a request of its runner')
      starts.push(Math.max(0, first - known.firstAt))
    }
    return starts
  } finally {
    sources.close()
  }
}

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      n: { type: 'string', default: '100' },
      minutes: { type: 'string', default: '2' },
      poll: { type: 'string', default: '2s' },
      changes: { type: 'string', default: '20' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(usage)
  const [n, minutes, changes] = [Number(values.n), Number(values.minutes), Number(values.changes)]
  await using parts = new AsyncDisposableStack()
  const target = parts.use(await startCluster())
  const repo = parts.use(await startGitRepo(filesOf(n, 0)))
  const one = parts.use(await startGitRepo(probeFiles(0)))
  const hub = parts.use(await startHub())
  await hub.apply(source('fleet', repo.url) + source(probe.repository, one.url) + unit(n, probe.name, probe.repository))
  const requestedAt: number[] = []
  const noted = parts.use(
    await recordingProxy(target.kubeconfig, async (path, stage) => {
      if (stage === 'request' && path.includes('/configmaps')) requestedAt.push(performance.now())
      return false
    }),
  )
  const program = await packagedCommand(parts.use(disposableDir()).path)
  const start = async (index: number, on: Pick<Cluster, 'kubeconfig'>): Promise<Runner> => {
    const joining = { cluster: `default/c-${index}`, joinToken: await joinToken(hub, `c-${index}`) }
    return parts.use(startRunner(hub, on, { ...joining, poll: values.poll, program }))
  }
  await start(n, noted)
  const runners: Runner[] = []
  for (let index = 0; index < n; index++) {
    runners.push(await start(index, target))
    await hub.apply(unit(index))
  }
  await eventually(() => haveRevision(target, n, 0), { within: 60_000 + n * 5_000, every: 1_000 })
  await sleep(15_000) // events and probes of the start

  const before = cpuSecondsOf(hub.pid!)
  await sleep(minutes * 60_000)
  const cpu = cpuSecondsOf(hub.pid!) - before
  const resident = runners.map(({ pid }) => residentOf(pid!).now)
  const shares = runners.map(({ pid }) => proportionalOf(pid!))

  await repo.push(filesOf(n, 1))
  const pushedAt = performance.now()
  await hub.kubectl('annotate', 'gitrepository', 'fleet', 'reconcile.fluxcd.io/requestedAt=1')
  await eventually(() => haveRevision(target, n, 1), { within: 60_000 + n * 1_000, every: 200 })
  const seconds = (performance.now() - pushedAt) / 1000
  const starts = await measureStarts({ hub, target, repo: one, requestedAt }, changes)
  const peak = Math.max(...runners.map(({ pid }) => residentOf(pid!).peak))
  console.log(
    `\n${n} runners with one Kustomization each, polling every ${values.poll} if nothing wakes them, at rest for ${minutes} minutes\n`,
  )
  console.log(
    table(
      [
        'MB of a runner: median',
        'most',
        'peak',
        'share',
        'MB of all together',
        'CPU of the hub',
        'MB of the hub',
        'push to all',
      ],
      [
        [
          quantile(resident, 0.5),
          Math.max(...resident),
          peak,
          Math.round(quantile(shares, 0.5)),
          Math.round(shares.reduce((sum, share) => sum + share, 0)),
          `${((cpu / (minutes * 60)) * 100).toFixed(1)} % of a core`,
          residentOf(hub.pid!).now,
          `${seconds.toFixed(1)} s`,
        ],
      ],
    ),
  )
  console.log(
    `\nFrom the hub's knowledge of a change to the first request at the cluster, of ${changes} changes, in milliseconds\n`,
  )
  console.log(table(['median', '95 %', 'worst'], [[0.5, 0.95, 1].map(share => quantile(starts, share))]))
}
