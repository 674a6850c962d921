import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Cluster, startCluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { startGitRepo } from '../bed/git-repo.ts'
import { startHub } from '../bed/hub.ts'
import { packagedCommand } from '../bed/packaged-command.ts'
import { joinToken, type Runner, startRunner } from '../bed/runner.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import { cpuSecondsOf, proportionalOf, residentOf } from './process-usage.ts'
import { quantile } from './quantile.ts'
import { table } from './table.ts'

export const description = 'runners on one machine: memory of each, processor of the hub at rest'

const usage = `npm run bench -- runners [--n 100] [--minutes 2] [--poll 2s]

  --n        runners as the package has them, each a process for a Cluster of its own, all of them one real cluster; each takes some 30 MB of its own
  --minutes  how long it is measured
  --poll     time between two requests of a runner`

const configMap = (index: number, revision: number): string => `apiVersion: v1
kind: ConfigMap
metadata: {name: app-${index}, namespace: default, labels: {of: runners}}
data: {revision: '${revision}'}
`

const filesOf = (n: number, revision: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: n }, (_, index) => [`app-${index}/a.yaml`, configMap(index, revision)]))

const source = (url: string): string => `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: fleet, namespace: default}
spec: {interval: 1h, url: '${url}', ref: {branch: main}}
`

const unit = (index: number): string => `---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app-${index}, namespace: default}
spec:
  interval: 10m
  prune: true
  path: ./app-${index}
  sourceRef: {kind: GitRepository, name: fleet}
  kubeConfig: {configMapRef: {name: c-${index}}}
`

const haveRevision = async (target: Cluster, n: number, revision: number): Promise<boolean> => {
  const { items } = await target.get<{ items: readonly { data: { revision: string } }[] }>(
    ...['configmap', '-l', 'of=runners'],
  )
  return items.filter(({ data }) => data.revision === String(revision)).length === n
}

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      n: { type: 'string', default: '100' },
      minutes: { type: 'string', default: '2' },
      poll: { type: 'string', default: '2s' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(usage)
  const [n, minutes] = [Number(values.n), Number(values.minutes)]
  await using parts = new AsyncDisposableStack()
  const target = parts.use(await startCluster())
  const repo = parts.use(await startGitRepo(filesOf(n, 0)))
  const hub = parts.use(await startHub())
  await hub.apply(source(repo.url))
  const program = await packagedCommand(parts.use(disposableDir()).path)
  const runners: Runner[] = []
  for (let index = 0; index < n; index++) {
    const joining = { cluster: `default/c-${index}`, joinToken: await joinToken(hub, `c-${index}`) }
    runners.push(parts.use(startRunner(hub, target, { ...joining, poll: values.poll, program })))
    await hub.apply(unit(index))
  }
  await eventually(() => haveRevision(target, n, 0), { within: 60_000 + n * 5_000, every: 1_000 })
  await sleep(15_000) // events and probes of the start

  const before = cpuSecondsOf(hub.pid!)
  await sleep(minutes * 60_000)
  const cpu = cpuSecondsOf(hub.pid!) - before
  const memory = runners.map(({ pid }) => residentOf(pid!))
  const all = runners.reduce((sum, { pid }) => sum + proportionalOf(pid!), 0)

  await repo.push(filesOf(n, 1))
  const pushedAt = performance.now()
  await hub.kubectl('annotate', 'gitrepository', 'fleet', 'reconcile.fluxcd.io/requestedAt=1')
  await eventually(() => haveRevision(target, n, 1), { within: 60_000 + n * 1_000, every: 200 })
  const seconds = (performance.now() - pushedAt) / 1000
  const now = memory.map(({ now }) => now).toSorted((one, other) => one - other)
  console.log(
    `\n${n} runners with one Kustomization each, polling every ${values.poll}, at rest for ${minutes} minutes\n`,
  )
  console.log(
    table(
      [
        'MB of a runner: median',
        'most',
        'peak',
        'MB of all together',
        'CPU of the hub',
        'MB of the hub',
        'push to all',
      ],
      [
        [
          quantile(now, 0.5),
          now.at(-1)!,
          Math.max(...memory.map(({ peak }) => peak)),
          Math.round(all),
          `${((cpu / (minutes * 60)) * 100).toFixed(1)} % of a core`,
          residentOf(hub.pid!).now,
          `${seconds.toFixed(1)} s`,
        ],
      ],
    ),
  )
}
