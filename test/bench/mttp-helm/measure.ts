import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from '../../bed/cluster.ts'
import { kubectl } from '../../bed/kubectl.ts'
import { cpuSecondsOf } from '../process-usage.ts'
import { isReady, type ObjectWatch, type WatchedObject, watchObjects } from '../readiness-watch.ts'
import { startChartRepository } from './chart-repository.ts'
import { releaseObjects } from './release-objects.ts'
import type { Side } from './sides.ts'

const patienceMs = 600_000

export interface Phase {
  /** Seconds until the first and the last had arrived. */
  readonly first: number
  readonly all: number
  /** CPU seconds of the side's own processes, and of the target's API server with its etcd and controllers. */
  readonly cpu: number
  readonly targetCpu: number
}

/** Looks at unchanged releases, for drift too. */
export interface Rest {
  /** Requests to the target, and milliseconds of the side's CPU, for each look. */
  readonly requests: number
  readonly cpuMs: number
  /** Seconds until all that was taken away was there again: the proof that there were looks. */
  readonly corrected: number
}

export interface Result {
  readonly side: string
  readonly count: number
  readonly install: Phase
  readonly upgrade: Phase
  /** All at a request. */
  readonly look: Phase
  readonly rest?: Rest
  readonly remove: Phase
  readonly peak: number
}

type WatchedRelease = WatchedObject & {
  readonly status?: {
    readonly history?: readonly { readonly chartVersion: string }[]
    readonly lastHandledReconcileAt?: string
  }
}

export interface Measurement {
  readonly count: number
  readonly ownCharts: boolean
  /** Seconds between two looks while rest is measured; 0 leaves it out. */
  readonly restInterval: number
}

/** Installs, upgrades, looks at and uninstalls all; each until it has arrived, and is seen in the cluster. */
export const measure = async (side: Side, { count, ownCharts, restInterval }: Measurement): Promise<Result> => {
  const { api, target } = side
  await using repository = await startChartRepository()
  repository.publish('1.0.0')
  const objects = { count, url: repository.url, ownCharts, remote: side.isRemote, driftDetection: false }
  const apply = (more: { readonly interval: string; readonly driftDetection?: boolean }) =>
    kubectl(api.kubeconfig, ['apply', '--server-side', '-f', '-'], { input: releaseObjects({ ...objects, ...more }) })
  const annotate = (what: readonly string[], value: string) =>
    api.kubectl('annotate', '--overwrite', '-n', 'bench', ...what, `reconcile.fluxcd.io/requestedAt=${value}`)
  const watch = await watchReleases(api.kubeconfig)

  const timed = async (work: () => Promise<{ firstAt: number; lastAt: number }>): Promise<Phase> => {
    const [cpu, targetCpu, start] = [side.cpu(), cpuSecondsOf(target.pid!), performance.now()]
    const { firstAt, lastAt } = await work()
    return {
      first: rounded((firstAt - start) / 1000),
      all: rounded((lastAt - start) / 1000),
      cpu: rounded(side.cpu() - cpu),
      targetCpu: rounded(cpuSecondsOf(target.pid!) - targetCpu),
    }
  }
  const released = (version: string) =>
    watch.all(
      `releases ready in ${version}`,
      object => isReady(object) && object.status?.history?.[0]?.chartVersion === version,
      count,
    )

  const install = await timed(async () => {
    await apply({ interval: '60m' })
    return released('1.0.0')
  })
  assert.deepEqual(await present(target), { versions: ['1.0.0'], configMaps: count, accounts: count })

  const upgrade = await timed(async () => {
    repository.publish('1.1.0')
    await annotate(['helmrepository/repo'], String(Date.now()))
    return released('1.1.0')
  })
  assert.deepEqual(await present(target), { versions: ['1.1.0'], configMaps: count, accounts: count })
  await sleep(2000)

  const look = await timed(async () => {
    const token = String(Date.now())
    const arrived = watch.all(
      'releases looked at',
      object => isReady(object) && object.status?.lastHandledReconcileAt === token,
      count,
    )
    const [arrival] = await Promise.all([arrived, annotate(['helmreleases', '--all'], token)])
    return arrival
  })

  const rest = restInterval > 0 ? await atRest() : undefined
  const remove = await timed(async () => {
    await api.kubectl('delete', 'helmreleases', '--all', '-n', 'bench', '--wait=false')
    const at = await watch.allGone()
    return { firstAt: at, lastAt: at }
  })
  assert.deepEqual(await present(target), { versions: [], configMaps: 0, accounts: 0 })
  watch.close()
  return { side: side.name, count, install, upgrade, look, ...(rest && { rest }), remove, peak: side.peak() }

  async function atRest(): Promise<Rest> {
    const intervalMs = restInterval * 1000
    await apply({ interval: `${restInterval}s`, driftDetection: true })
    await watch.all('releases that take up their interval', isReady, count)
    await sleep(2.2 * intervalMs) // by then all are in step
    const [cpu, requests] = [side.cpu(), await requestsOf(target)]
    const intervals = 2
    await sleep(intervals * intervalMs)
    const looks = intervals * count
    const cpuMs = rounded((1000 * (side.cpu() - cpu)) / looks)
    const made = rounded(((await requestsOf(target)) - requests) / looks)
    const start = performance.now()
    await target.kubectl(
      'delete',
      'configmap',
      '-n',
      'bench',
      '-l',
      'app.kubernetes.io/managed-by=Helm',
      '--wait=false',
    )
    while ((await present(target)).configMaps < count) {
      if (performance.now() - start > 3 * intervalMs + 30_000) throw new Error('a look did not happen: drift stays')
      await sleep(500)
    }
    return { requests: made, cpuMs, corrected: rounded((performance.now() - start) / 1000) }
  }
}

const watchReleases = (kubeconfig: string): Promise<ObjectWatch<WatchedRelease>> =>
  watchObjects(kubeconfig, '/apis/helm.toolkit.fluxcd.io/v2/namespaces/bench/helmreleases', patienceMs)

/** What the releases have in the target, and of which versions of their chart. */
const present = async (target: Cluster) => {
  const out = await target.kubectl(
    ...['get', 'configmap,serviceaccount', '-n', 'bench', '-l', 'app.kubernetes.io/managed-by=Helm'],
    '-o=jsonpath={range .items[*]}{.kind} {.data.version}{"\\n"}{end}',
  )
  const lines = out.split('\n').filter(line => line !== '')
  const configMaps = lines.filter(line => line.startsWith('ConfigMap '))
  return {
    versions: [...new Set(configMaps.map(line => line.split(' ')[1]))],
    configMaps: configMaps.length,
    accounts: lines.length - configMaps.length,
  }
}

/** About what releases consist of and are stored in; watches are not counted. */
const requestsOf = async (target: Cluster): Promise<number> => {
  const text = await target.kubectl('get', '--raw', '/metrics')
  const lines = [...text.matchAll(/^apiserver_request_total\{([^}]*)\} (\S+)$/gm)]
  return lines
    .filter(
      ([, labels = '']) =>
        /resource="(configmaps|serviceaccounts|secrets)"/.test(labels) && !/verb="WATCH"/.test(labels),
    )
    .reduce((sum, [, , requests]) => sum + Number(requests), 0)
}

const rounded = (value: number): number => Math.round(value * 100) / 100
