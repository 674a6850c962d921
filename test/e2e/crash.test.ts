/**
 * Kills the hub at random moments while it works. `KEELSON_CRASHES` says how often (`npm run crash`: 50), `KEELSON_SEED` repeats a run.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { type Hub, hub as startHub } from '../bed/hub.ts'
import { changingApps } from './crash-world.ts'
import { type HubApi, hubApi } from './hub-api.ts'
import { seededRandom } from './seeded-random.ts'

const crashes = Number(process.env.KEELSON_CRASHES ?? 4)
const seed = Number(process.env.KEELSON_SEED ?? Date.now() % 1_000_000)

const permanent = Array.from({ length: 30 }, (_, i) => `app-${i}`)
/** Their Kustomizations are deleted and created again all the time. */
const transient = Array.from({ length: 4 }, (_, i) => `transient-${i}`)

test(`converges after ${crashes} crashes at random moments, losing and orphaning nothing`, async t => {
  t.diagnostic(`KEELSON_SEED=${seed} KEELSON_CRASHES=${crashes}`)
  const random = seededRandom(seed)
  const [target, hub] = await Promise.all([cluster({ name: 'target' }), startHub()])
  const api = hubApi(hub.kubeconfig)
  const apps = changingApps([...permanent, ...transient], random)
  const repo = await gitRepo(apps.initial())

  await target.kubectl('create', 'namespace', 'prod')
  await hub.kubectl('create', 'namespace', 'flux')
  await hub.kubectl('-n', 'flux', 'create', 'secret', 'generic', 'target', `--from-file=value=${target.kubeconfig}`)
  await hub.apply(gitRepository(repo.url))
  for (const app of permanent) await create(api, kustomization(app))
  const existing = new Set(permanent)
  await eventually(async () => assert.equal((await configMaps(target)).size, 60), { within: 60_000 })
  const uidsAtFirst = await uids(target)

  const over = new AbortController()
  const pushing = (async () => {
    while (!over.signal.aborted) {
      await repo.push(apps.change())
      await sleep(50 + random.below(400))
    }
  })()
  let notes = 0
  const using = (async () => {
    while (!over.signal.aborted) {
      await create(api, note(notes++))
      const app = transient[notes % transient.length]!
      if (existing.delete(app)) await remove(api, app)
      else {
        existing.add(app)
        await create(api, kustomization(app))
      }
      await sleep(100)
    }
  })()

  for (let crash = 0; crash < crashes; crash++) {
    // Half of the crashes meet all apps in the middle of applying an object that git has dropped by the next start: what
    // was applied and not recorded would be orphaned.
    const meetsWave = random.below(2) === 0
    if (meetsWave) {
      await repo.push(apps.wave())
      await eventually(async () => assert.ok(waves(await configMaps(target)) > 0), { within: 60_000, every: 10 })
      await sleep(random.below(300))
    } else await sleep(random.below(2500))
    await hub.kill()
    if (meetsWave) await repo.push(apps.ebb())
    const starting = hub.start().catch(() => {})
    if (random.below(4) === 0) {
      // Now and then a process dies before it has even begun to serve.
      await sleep(random.below(800))
      await hub.kill()
      await starting
      await hub.start()
    } else await starting
  }
  over.abort()
  await Promise.all([pushing, using])
  const commit = (await repo.git('rev-parse', 'main')).trim()
  const calmAt = performance.now()

  await eventually(async () => assert.deepEqual(await unready(hub, commit), []), { within: 240_000, every: 500 })
  t.diagnostic(
    `converged ${Math.round((performance.now() - calmAt) / 100) / 10} s after the last crash, ${notes} notes`,
  )

  const wanted = apps.wanted([...existing])
  await eventually(async () => assert.deepEqual(sorted(await configMaps(target)), sorted(wanted)), { within: 30_000 })
  for (const [name, uid] of await uids(target))
    if (permanent.some(app => name === `${app}-stable`))
      assert.equal(uid, uidsAtFirst.get(name), `${name} was deleted and made anew, though git has always wanted it`)
  assert.deepEqual(
    await inventories(hub),
    new Map([...existing].sort().map(app => [app, [...apps.wanted([app]).keys()].sort()])),
  )
  const kept = await hub.get<List>('configmaps', '-n', 'flux')
  for (let i = 0; i < notes; i++)
    assert.ok(
      kept.items.some(({ metadata }) => metadata.name === `note-${i}`),
      `note-${i} was accepted and is lost`,
    )
})

interface Item {
  readonly metadata: { readonly name: string; readonly uid: string; readonly generation: number }
  readonly data?: { readonly value: string }
  readonly status?: {
    readonly observedGeneration?: number
    readonly lastAppliedRevision?: string
    readonly inventory?: { readonly entries?: readonly { readonly id: string }[] }
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message: string }[]
  }
}

interface List {
  readonly items: readonly Item[]
}

const gitRepository = (url: string) => `apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: apps, namespace: flux}
spec: {interval: 1s, url: "${url}", ref: {branch: main}}
`

/** Some come due all the time; the others run on news alone, so that lost news would show. */
const kustomization = (app: string) => ({
  apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  kind: 'Kustomization',
  metadata: { name: app, namespace: 'flux' },
  spec: {
    interval: app.endsWith('0') ? '2s' : '1h',
    retryInterval: '1s',
    timeout: '1m',
    prune: true,
    wait: app.endsWith('1'),
    path: `./apps/${app}`,
    targetNamespace: 'prod',
    kubeConfig: { secretRef: { name: 'target' } },
    sourceRef: { kind: 'GitRepository', name: 'apps' },
  },
})

const note = (index: number) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: `note-${index}`, namespace: 'flux' },
})

const paths = {
  ConfigMap: '/api/v1/namespaces/flux/configmaps',
  Kustomization: '/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/flux/kustomizations',
} as const

/** A creation whose answer a crash has swallowed finds the object there already; one being deleted has to go first. */
async function create(
  api: HubApi,
  object: { readonly kind: string; readonly metadata: { readonly name: string } },
): Promise<void> {
  const path = paths[object.kind as keyof typeof paths]
  await eventually(
    async () => {
      const { status, body } = await api.ask('POST', path, object)
      if (status === 201) return
      assert.equal(status, 409, JSON.stringify(body))
      const found = await api.ask('GET', `${path}/${object.metadata.name}`)
      assert.equal(found.status, 200, `${object.metadata.name} has just gone`)
      const { metadata } = found.body as { metadata: { deletionTimestamp?: string } }
      assert.equal(metadata.deletionTimestamp, undefined, `${object.metadata.name} is still being deleted`)
    },
    { within: 120_000 },
  )
}

async function remove(api: HubApi, app: string): Promise<void> {
  const { status, body } = await api.ask('DELETE', `${paths.Kustomization}/${app}`)
  assert.ok(status === 200 || status === 404, JSON.stringify(body))
}

/** Names and messages of Kustomizations that are not Ready at the commit. */
async function unready(hub: Hub, commit: string): Promise<string[]> {
  const { items } = await hub.get<List>('kustomizations', '-n', 'flux')
  return items
    .filter(({ metadata, status }) => {
      const ready = status?.conditions?.find(({ type }) => type === 'Ready')
      return !(
        ready?.status === 'True' &&
        status?.observedGeneration === metadata.generation &&
        status.lastAppliedRevision?.includes(commit)
      )
    })
    .map(
      ({ metadata, status }) =>
        `${metadata.name}: ${status?.conditions?.map(({ type, message }) => `${type} ${message}`).join('; ')}`,
    )
}

const waves = (found: ReadonlyMap<string, string>): number =>
  [...found.keys()].filter(name => name.includes('-wave-')).length

async function configMaps(target: Cluster): Promise<Map<string, string>> {
  const { items } = await ours(target)
  return new Map(items.map(({ metadata, data }) => [metadata.name, data!.value]))
}

async function uids(target: Cluster): Promise<Map<string, string>> {
  const { items } = await ours(target)
  return new Map(items.map(({ metadata }) => [metadata.name, metadata.uid]))
}

const ours = (target: Cluster) =>
  target.get<List>('configmaps', '-n', 'prod', '-l', 'kustomize.toolkit.fluxcd.io/namespace=flux')

/** Kustomizations to the names in their inventories. */
async function inventories(hub: Hub): Promise<Map<string, string[]>> {
  const { items } = await hub.get<List>('kustomizations', '-n', 'flux')
  return new Map(
    items.map(({ metadata, status }) => [
      metadata.name,
      (status?.inventory?.entries ?? []).map(({ id }) => id.split('_')[1]!).sort(),
    ]),
  )
}

const sorted = (map: ReadonlyMap<string, string>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))
