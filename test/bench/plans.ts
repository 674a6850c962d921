import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Plan } from '../../lib/foundations/kinds/plan.ts'
import { type Cluster, startCluster } from '../bed/cluster.ts'
import { startGitRepo } from '../bed/git-repo.ts'
import { startHub } from '../bed/hub.ts'
import { kubectl } from '../bed/kubectl.ts'
import { memoryDir } from '../bed/memory-dir.ts'
import { prepare } from './mttp.ts'
import { appFiles, fluxObjects } from './mttp-objects.ts'
import { cpuSecondsOf } from './process-usage.ts'
import { type Arrival, type WatchedObject, watchObjects, watchReadiness } from './readiness-watch.ts'
import { table } from './table.ts'

export const description = 'planning a revision of N Kustomizations, and reconciling it, on a real cluster'

const usage = `npm run bench -- plans [--n 300] [--rounds 3]

A push that changes all units is planned (they require approval), then another one is reconciled, in each round. Fails unless
each unit has its plan, nothing was applied by planning, and all of it was by reconciling. A first round, which is not
measured, warms the hub up: what runs first would otherwise pay for compiling.`

const patienceMs = 600_000

interface Cost {
  readonly seconds: number
  /** CPU seconds of all that the push causes: of the hub's process, and of the target's API server with its etcd and controllers. */
  readonly hub: number
  readonly target: number
}

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      n: { type: 'string', default: '300' },
      rounds: { type: 'string', default: '3' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(usage)
  const count = Number(values.n)
  await using target = await startCluster({ name: 'target' })
  await using repo = await startGitRepo(appFiles('mono', count, '0'))
  await using hub = await startHub({ parentDirectory: memoryDir() ?? tmpdir() })
  await prepare(hub.kubeconfig, target)
  const readiness = await watchReadiness(hub.kubeconfig, patienceMs)
  const plans = await watchObjects<WatchedObject & Plan>(
    hub.kubeconfig,
    '/apis/fleet.keelson.dev/v1alpha1/namespaces/bench/plans',
    patienceMs,
  )
  const annotateNamespace = (value: string) =>
    hub.kubectl('annotate', '--overwrite', 'namespace', 'bench', `fleet.keelson.dev/approval${value}`)
  const push = async (revision: string): Promise<string> => {
    const commit = await repo.push(appFiles('mono', count, revision))
    const requested = `reconcile.fluxcd.io/requestedAt=${Date.now()}`
    await hub.kubectl('annotate', '--overwrite', '-n', 'bench', 'gitrepository/apps', requested)
    return commit
  }
  const costOf = async (work: () => Promise<Arrival>): Promise<Cost> => {
    const cpu = () => [cpuSecondsOf(hub.pid!), cpuSecondsOf(target.pid!)] as const
    const before = cpu()
    const start = performance.now()
    const { lastAt } = await work()
    await atRest(hub.pid!)
    const after = cpu()
    return { seconds: (lastAt - start) / 1000, hub: after[0] - before[0], target: after[1] - before[1] }
  }

  const objects = fluxObjects({ shape: 'mono', count, wait: false, url: repo.url })
  const first = (await repo.git('rev-parse', 'main')).trim()
  await kubectl(hub.kubeconfig, ['apply', '--server-side', '-f', '-'], { input: objects })
  await readiness.allReady(first, count)

  let revision = 0
  const round = async (): Promise<Round> => {
    await annotateNamespace('=Required')
    await atRest(hub.pid!) // each unit has a pass now, which keeps what it may apply without an approval
    const before = String(revision)
    const planned = await costOf(async () => {
      const commit = await push(String(++revision))
      return plans.all(
        'plans that wait',
        ({ spec, status }) => status?.phase === 'Waiting' && spec.revision?.includes(commit) === true,
        count,
      )
    })
    assert.equal(await at(target, before), count, 'planning has applied nothing')
    // The units take the planned revision, so that the next one is as much of a change.
    await annotateNamespace('-')
    await readiness.allReady((await repo.git('rev-parse', 'main')).trim(), count)
    await atRest(hub.pid!)
    const reconciled = await costOf(async () => readiness.allReady(await push(String(++revision)), count))
    assert.equal(await at(target, String(revision)), count, 'all of it is applied')
    return { planned, reconciled }
  }
  await round()
  const rounds: Round[] = []
  for (let left = Number(values.rounds); left > 0; left--) rounds.push(await round())
  readiness.close()
  plans.close()

  const [planned, reconciled] = [meanOf(rounds.map(one => one.planned)), meanOf(rounds.map(one => one.reconciled))]
  const row = (name: string, cost: Cost) => [
    name,
    ...[cost.seconds, cost.hub, cost.target, cpuOf(cost)].map(value => value.toFixed(1)),
    ((cpuOf(cost) / count) * 1000).toFixed(1),
  ]
  console.log(
    table(
      [`${count} units`, 'seconds', 'CPU of the hub', 'of the cluster', 'both', 'ms for each unit'],
      [row('plan', planned), row('reconcile', reconciled)],
    ),
  )
  const ratios = rounds.map(one => (cpuOf(one.planned) / cpuOf(one.reconciled)).toFixed(2))
  const ratio = (cpuOf(planned) / cpuOf(reconciled)).toFixed(2)
  console.log(`\nPlanning has taken ${ratio} times the CPU of reconciling (in the rounds: ${ratios.join(', ')}).`)
}

interface Round {
  readonly planned: Cost
  readonly reconciled: Cost
}

const cpuOf = ({ hub, target }: Cost): number => hub + target

const meanOf = (costs: readonly Cost[]): Cost => {
  const mean = (of: (cost: Cost) => number) => costs.reduce((sum, cost) => sum + of(cost), 0) / costs.length
  return { seconds: mean(cost => cost.seconds), hub: mean(cost => cost.hub), target: mean(cost => cost.target) }
}

/** Resolves when a process has done next to nothing for two seconds. */
async function atRest(pid: number): Promise<void> {
  for (let before = Number.NEGATIVE_INFINITY; ; ) {
    const now = cpuSecondsOf(pid)
    if (now - before < 0.1) return
    before = now
    await sleep(2_000)
  }
}

/** How many units have applied this revision. */
async function at(target: Cluster, revision: string): Promise<number> {
  const query = `-o=jsonpath={range .items[?(@.data.revision=="${revision}")]}{.metadata.name}{"\\n"}{end}`
  const names = await target.kubectl('get', 'cm', '-n', 'bench', query)
  return names.split('\n').filter(line => line !== '').length
}
