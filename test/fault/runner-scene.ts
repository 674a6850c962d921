import assert from 'node:assert/strict'
import type { Kustomization } from '../../lib/foundations/kinds/kustomization.ts'
import { conditionOf } from '../../lib/foundations/rules/conditions.ts'
import { startCluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository, fleetUnit } from '../bed/fleet-objects.ts'
import { type Cut, type RecordedRequest, type RecordingProxy, recordingProxy } from '../bed/recording-proxy.ts'
import { joinToken, startRunner } from '../bed/runner.ts'
import type { Scene } from './fault.ts'

/** One thing that goes wrong in a pass of a runner. */
export interface Point {
  /** Whose requests are counted: those to the hub, without the polls for changes, or those to the cluster. */
  readonly to: 'hub' | 'cluster'
  /** Which of them it hits, from 0. */
  readonly at: number
  /** Before the request arrives, or once it is handled, so what it stores is stored. */
  readonly when: 'request' | 'response'
  readonly what: 'the connection is cut' | 'the runner is killed' | 'the hub is killed'
}

/** A unit on a cluster that only its runner reaches, with the runner's connections in the hand of the test. */
export interface RunnerScene {
  /** Pushes a revision, and returns whether the pass had so many requests. Fails when something is lost, orphaned or turned back. */
  play(point: Point): Promise<boolean>
}

const labelled = (name: string, revision: number): string => `apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}, namespace: default, labels: {of: fleet}}
data: {revision: '${revision}'}
`

/** Two objects for each revision: one stays, the other is of this revision only. */
const files = (revision: number) => ({
  'kept.yaml': labelled('kept', revision),
  'new.yaml': labelled(`only-${revision}`, revision),
})

export const runnerScene = async (scene: Scene): Promise<RunnerScene> => {
  const [hub, repo, target] = await Promise.all([scene.hub(), scene.repo(files(0)), startCluster().then(scene.use)])
  let current: (Point & { count: number; damage?: Promise<void> }) | undefined
  /** Since the last request of a pass. */
  let polls = 0
  const damages: Readonly<Record<Point['what'], () => Promise<void>>> = {
    'the connection is cut': async () => {},
    'the runner is killed': async () => {
      await runner.stop('SIGKILL')
      runner.start()
    },
    'the hub is killed': async () => {
      await hub.kill()
      await hub.start()
    },
  }
  const cutting =
    (to: Point['to']): Cut =>
    async (path, when) => {
      const it = current
      // A runner at rest polls all the time: what counts are the requests of passes.
      const isPoll = /\/(sync|wait)$/.test(path)
      polls = isPoll ? polls + 1 : 0
      if (!it || it.damage || it.to !== to || it.when !== when || isPoll) return false
      if (it.count++ !== it.at) return false
      it.damage = damages[it.what]()
      await it.damage.catch(() => {})
      return true
    }
  const proxied = async (kubeconfig: string, to: Point['to']): Promise<RecordingProxy> =>
    scene.use(await recordingProxy(kubeconfig, cutting(to)))
  const [toHub, toCluster] = [await proxied(hub.kubeconfig, 'hub'), await proxied(target.kubeconfig, 'cluster')]
  await hub.apply(fleetRepository(repo) + fleetUnit('aurora').replace('secretRef', 'configMapRef'))
  const joining = { cluster: 'default/aurora', joinToken: await joinToken(hub, 'aurora') }
  const runner = scene.use(startRunner(toHub, toCluster, { ...joining, flags: ['--log-level', 'info'] }))

  const settled = async (revision: number): Promise<void> => {
    const commit = (await repo.git('rev-parse', 'main')).trim()
    await eventually(
      async () => {
        const { status } = await hub.get<Kustomization>('kustomization', 'app')
        const ready = conditionOf(status?.conditions, 'Ready')
        assert.deepEqual([ready?.status, ready?.message], ['True', `Applied revision: main@sha1:${commit}`])
        assert.deepEqual(
          status?.inventory?.entries.map(({ id }) => id),
          ['default_kept__ConfigMap', `default_only-${revision}__ConfigMap`],
        )
      },
      { within: 60_000 },
    )
    const { items } = await target.get<{
      items: readonly { metadata: { name: string }; data: Record<string, string> }[]
    }>('configmaps', '-l', 'of=fleet')
    assert.deepEqual(
      items.map(({ metadata, data }) => `${metadata.name} ${data.revision}`),
      [`kept ${revision}`, `only-${revision} ${revision}`],
      'on the cluster',
    )
    requireOrder(toCluster.requests)
    toHub.requests.length = 0
  }

  /** The last request of a pass, an event, follows the status. */
  const atRest = (): Promise<void> => eventually(() => assert.ok(polls >= 4, `${polls} polls`))

  await settled(0)
  await atRest()
  let revision = 0
  return {
    play: async point => {
      revision++
      await repo.push({ ...files(revision), 'new.yaml': labelled(`only-${revision}`, revision) })
      const it: NonNullable<typeof current> = { ...point, count: 0 }
      current = it
      const request = `reconcile.fluxcd.io/requestedAt=${revision}`
      await hub.kubectl('annotate', '--overwrite', 'gitrepository', 'fleet', request)
      try {
        await settled(revision)
        await atRest()
        await it.damage
        await settled(revision)
      } catch (error) {
        const { to, at, when, what } = point
        const where = `${what} at request ${at} to the ${to} (${when})`
        throw new Error(`${where}: ${(error as Error).message}\nthe runner said:\n${runner.said().slice(-3000)}`)
      }
      current = undefined
      return it.damage !== undefined
    },
  }
}

/** What was written to the object that stays, in the order of writing: revisions never go back. */
const requireOrder = (requests: readonly RecordedRequest[]): void => {
  const written = requests
    .filter(({ method, path }) => method === 'PATCH' && /configmaps\/kept\?/.test(path) && !/dryRun=/.test(path))
    .map(({ body }) => Number(/"?revision"?: *["'](\d+)/.exec(body.toString())?.[1]))
  assert.ok(written.length > 0 && written.every(Number.isInteger), `writes of the object: ${written}`)
  assert.deepEqual(
    written,
    [...written].sort((one, other) => one - other),
    'the order of revisions',
  )
}
