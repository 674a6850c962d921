import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { type Cluster, startCluster } from '../bed/cluster.ts'
import { startGitRepo } from '../bed/git-repo.ts'
import { startHub } from '../bed/hub.ts'
import { kubectl } from '../bed/kubectl.ts'
import { memoryDir } from '../bed/memory-dir.ts'
import { runHelm } from './mttp-helm/mttp-helm.ts'
import { appFiles, type DataShape, fluxObjects } from './mttp-objects.ts'
import { cpuSecondsOf, residentOf } from './process-usage.ts'
import { watchReadiness } from './readiness-watch.ts'
import { table } from './table.ts'

export const description = 'mean time to production: N Kustomizations (--helm: HelmReleases) into a real cluster'

const usage = `npm run bench -- mttp [--n 20,100,300] [--data mono,one] [--wait] [--repeat 1] [--disk] [--cpu-prof DIR] [--node-flags FLAGS]

  --n         how many Kustomizations
  --data      mono: a folder each; one: one folder for all, with a substituted variable
  --wait      Kustomizations wait for their objects to be ready
  --disk      the hub's data on the disk of ${tmpdir()}, not on tmpfs
  --cpu-prof  writes a profile of the hub's process there
  --node-flags  for the hub's process, separated by commas
  --helm      HelmReleases, beside Flux's controllers: npm run bench -- mttp --helm --help`

/**
 * Seconds of Flux (source-controller 1.9.1, kustomize-controller 1.9.4, concurrency 20) for the same work on such a machine,
 * quiet and on tmpfs; recorded once, not measured here. CPU seconds are of its controllers, for each Kustomization.
 */
const flux: Readonly<Record<string, { readonly install: number; readonly update: number }>> = {
  'one 100': { install: 8.9, update: 8.4 },
  'one 300': { install: 26, update: 25 },
  'mono 100': { install: 11, update: 11 },
  'mono 300': { install: 30, update: 30 },
}

const patienceMs = 300_000

export async function run(args: readonly string[]): Promise<void> {
  if (args.includes('--helm')) return runHelm(args)
  const { values } = parseArgs({
    args: [...args],
    options: {
      n: { type: 'string', default: '20,100,300' },
      data: { type: 'string', default: 'mono,one' },
      wait: { type: 'boolean', default: false },
      repeat: { type: 'string', default: '1' },
      disk: { type: 'boolean', default: false },
      'cpu-prof': { type: 'string' },
      'node-flags': { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(usage)
  const counts = values.n.split(',').map(Number)
  const shapes = values.data.split(',') as DataShape[]
  const parentDirectory = (values.disk ? undefined : memoryDir()) ?? tmpdir()
  console.log(
    `the hub's data below ${parentDirectory}${values.wait ? '; Kustomizations wait for their objects' : ''}\n`,
  )

  const profile = values['cpu-prof']
  const nodeFlags = [
    ...values['node-flags'].split(',').filter(flag => flag !== ''),
    ...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []),
  ]
  // The first start compiles; what is measured is any later one.
  await (await startHub({ parentDirectory }))[Symbol.asyncDispose]()
  await using target = await startCluster({ name: 'target' })
  const results: Result[] = []
  for (const shape of shapes)
    for (const count of counts)
      for (let round = 0; round < Number(values.repeat); round++) {
        const result = await measure({
          shape,
          count,
          wait: values.wait,
          parentDirectory,
          nodeFlags,
          target,
        })
        results.push(result)
        console.error(JSON.stringify(result))
      }
  report(results)
}

interface Measurement {
  readonly shape: DataShape
  readonly count: number
  readonly wait: boolean
  readonly parentDirectory: string
  readonly nodeFlags: readonly string[]
  readonly target: Cluster
}

interface Phase {
  /** Seconds since the phase began. */
  readonly first: number
  readonly all: number
  /** Of the hub's process, and of the target's API server with its etcd and controllers. */
  readonly hubCpu: number
  readonly targetCpu: number
}

interface Result {
  readonly shape: DataShape
  readonly count: number
  readonly apply: number
  readonly install: Phase
  readonly update: Phase
  readonly remove: number
  readonly resident: number
  readonly peak: number
}

/** Create all, change all with one commit, delete all; each until it has arrived. */
async function measure({ shape, count, wait, parentDirectory, nodeFlags, target }: Measurement): Promise<Result> {
  await using repo = await startGitRepo(appFiles(shape, count, '0'))
  await using hub = await startHub({ parentDirectory, nodeFlags })
  await prepare(hub.kubeconfig, target)
  const readiness = await watchReadiness(hub.kubeconfig, patienceMs)

  const timed = async (work: () => Promise<{ firstAt: number; lastAt: number }>): Promise<Phase> => {
    const cpu = () => [cpuSecondsOf(hub.pid!), cpuSecondsOf(target.pid!)] as const
    const before = cpu()
    const start = performance.now()
    const { firstAt, lastAt } = await work()
    const after = cpu()
    return {
      first: seconds(firstAt - start),
      all: seconds(lastAt - start),
      hubCpu: rounded(after[0] - before[0]),
      targetCpu: rounded(after[1] - before[1]),
    }
  }

  const objects = fluxObjects({ shape, count, wait, url: repo.url })
  const commit = (await repo.git('rev-parse', 'main')).trim()
  let apply = 0
  const install = await timed(async () => {
    const start = performance.now()
    await kubectl(hub.kubeconfig, ['apply', '--server-side', '-f', '-'], { input: objects })
    apply = seconds(performance.now() - start)
    return readiness.allReady(commit, count)
  })

  const update = await timed(async () => {
    const next = await repo.push(appFiles(shape, count, '1'))
    await hub.kubectl(
      'annotate',
      '--overwrite',
      '-n',
      'bench',
      'gitrepository/apps',
      `reconcile.fluxcd.io/requestedAt=${Date.now()}`,
    )
    return readiness.allReady(next, count)
  })
  const { now: resident, peak } = residentOf(hub.pid!)
  assert.equal(await applied(target), 2 * count, 'objects in the target')
  assert.equal(
    await applied(target, '-o=jsonpath={range .items[?(@.data.revision=="1")]}{.metadata.name}{"\\n"}{end}', 'cm'),
    count,
  )

  const start = performance.now()
  await hub.kubectl('delete', 'kustomizations', '--all', '-n', 'bench', '--wait=false')
  const remove = seconds((await readiness.allGone()) - start)
  assert.equal(await applied(target), 0, 'objects left in the target')
  readiness.close()
  await hub.stop()
  return { shape, count, apply, install, update, remove, resident, peak }
}

/** The namespace of the bench, on the hub and on the cluster, and the Secret with the access to that. */
export async function prepare(hub: string, target: Cluster): Promise<void> {
  const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: bench}\n'
  for (const kubeconfig of [hub, target.kubeconfig])
    await kubectl(kubeconfig, ['apply', '-f', '-'], { input: namespace })
  await kubectl(hub, ['-n', 'bench', 'create', 'secret', 'generic', 'target', `--from-file=value=${target.kubeconfig}`])
}

/** How many of the objects in the target are the Kustomizations'. */
async function applied(target: Cluster, output = '-o=name', kinds = 'cm,sa'): Promise<number> {
  const selector = 'kustomize.toolkit.fluxcd.io/namespace=bench'
  const names = await target.kubectl('get', kinds, '-n', 'bench', '-l', selector, output)
  return names.split('\n').filter(line => line !== '').length
}

function report(results: readonly Result[]): void {
  const header = [
    'data',
    'N',
    'apply',
    'install: first',
    'all',
    'update: first',
    'all',
    'delete',
    'resident',
    'peak',
    'all vs Flux',
  ]
  const rows = results.map(({ shape, count, apply, install, update, remove, resident, peak }) => {
    const peer = flux[`${shape} ${count}`]
    const ratio = peer ? `${(peer.install / install.all).toFixed(1)} x, ${(peer.update / update.all).toFixed(1)} x` : ''
    return [shape, count, apply, install.first, install.all, update.first, update.all, remove, resident, peak, ratio]
  })
  console.log('\nSeconds until Ready; megabytes of the hub; how many times faster than Flux was (install, update)\n')
  console.log(table(header, rows))
  const cpu = results.map(({ shape, count, install, update }) => [
    shape,
    count,
    install.hubCpu,
    update.hubCpu,
    install.targetCpu,
    update.targetCpu,
    rounded((1000 * install.hubCpu) / count),
    rounded((1000 * update.hubCpu) / count),
  ])
  console.log(
    '\nCPU seconds (Flux: 0.09 to 0.13 of controllers for each Kustomization), and milliseconds for each Kustomization\n',
  )
  console.log(
    table(['data', 'N', 'hub: install', 'update', 'cluster: install', 'update', 'hub each: install', 'update'], cpu),
  )
}

const rounded = (value: number): number => Math.round(value * 100) / 100
const seconds = (ms: number): number => rounded(ms / 1000)
