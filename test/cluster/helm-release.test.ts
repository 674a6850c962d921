import assert from 'node:assert/strict'
import { test } from 'node:test'
import { install } from '../../lib/clusters/helm-release/install.ts'
import { rollback } from '../../lib/clusters/helm-release/rollback.ts'
import { test as testRelease } from '../../lib/clusters/helm-release/test.ts'
import { uninstall } from '../../lib/clusters/helm-release/uninstall.ts'
import { unlock } from '../../lib/clusters/helm-release/unlock.ts'
import { upgrade } from '../../lib/clusters/helm-release/upgrade.ts'
import { chartFiles, configMap, failure, helmReleaseBed, inPasses, job } from './helm-release-bed.ts'

const bed = await helmReleaseBed()

const hook = (event: string, more: Readonly<Record<string, string>> = {}) => ({ 'helm.sh/hook': event, ...more })

test('HR-112..115 HR-120 HR-125 an installation is what helm says it is', async () => {
  const space = await bed.space()
  const files = chartFiles({
    'cm.yaml': configMap('app-cm', { greeting: '{{ .Values.greeting }}' }),
    'NOTES.txt': 'Hi',
  })
  const outcome = await install(space.deps, await space.installOf(files))
  assert.equal(outcome.state, 'finished')
  const [listed] = JSON.parse(await space.helm(['list', '-o', 'json']))
  assert.deepEqual(
    {
      name: listed.name,
      revision: listed.revision,
      status: listed.status,
      chart: listed.chart,
      app: listed.app_version,
    },
    { name: 'app', revision: '1', status: 'deployed', chart: 'app-1.0.0', app: '2.3.4' },
  )
  assert.match(
    await space.helm(['get', 'manifest', 'app']),
    /^---\n# Source: app\/templates\/cm.yaml\napiVersion: v1\n/,
  )
  assert.match(await space.helm(['get', 'notes', 'app']), /Hi/)
  assert.match(await space.helm(['status', 'app']), /DESCRIPTION: Install complete/)
  const { metadata, data } = await space.live('configmap', 'app-cm')
  assert.equal(data.greeting, 'hello')
  assert.equal(metadata.labels?.['app.kubernetes.io/managed-by'], 'Helm')
  assert.equal(metadata.annotations?.['meta.helm.sh/release-name'], 'app')
  assert.deepEqual(
    metadata.managedFields?.map(({ manager, operation }) => `${manager}/${operation}`),
    ['helm-controller/Apply'],
  )
})

test('HR-061 an object of somebody else is refused without takeOwnership, and nothing is stored', async () => {
  const space = await bed.space()
  await space.kubectl('create', 'configmap', 'app-cm')
  const request = await space.installOf(chartFiles({ 'cm.yaml': configMap('app-cm') }), { takeOwnership: false })
  const error = await failure(install(space.deps, request))
  assert.equal(
    error.message,
    `unable to continue with install: ConfigMap "app-cm" in namespace "${space.namespace}" exists and cannot be imported into the current release: invalid ownership metadata; label validation error: missing key "app.kubernetes.io/managed-by": must be set to "Helm"; annotation validation error: missing key "meta.helm.sh/release-name": must be set to "app"; annotation validation error: missing key "meta.helm.sh/release-namespace": must be set to "${space.namespace}"`,
  )
  assert.deepEqual(error.stored, [])
  assert.deepEqual(JSON.parse(await space.helm(['list', '-o', 'json'])), [])
  await install(space.deps, { ...request, takeOwnership: true })
  assert.equal((await space.live('configmap', 'app-cm')).data.key, 'value')
})

test('HR-062 a name in use is refused', async () => {
  const space = await bed.space()
  const request = await space.installOf(chartFiles({ 'cm.yaml': configMap('app-cm') }))
  await install(space.deps, request)
  const error = await failure(install(space.deps, { ...request, token: 'other' }))
  assert.equal(error.message, 'release name check failed: cannot reuse a name that is still in use')
})

test('HR-121 HR-122 an upgrade changes, creates and deletes, and spares what is to be kept', async () => {
  const space = await bed.space()
  const kept = configMap('kept', {}, { 'helm.sh/resource-policy': 'keep' })
  const first = chartFiles({ 'a.yaml': configMap('a', { x: '1', y: '1' }), 'b.yaml': configMap('b'), 'k.yaml': kept })
  await install(space.deps, await space.installOf(first))
  const second = chartFiles({ 'a.yaml': configMap('a', { x: '2' }), 'c.yaml': configMap('c') }, '1.1.0')
  const outcome = await upgrade(space.deps, await space.upgradeOf(second))
  assert.deepEqual(
    outcome.stored.map(({ version, info }) => [version, info.status, info.description]),
    [
      [2, 'deployed', 'Upgrade complete'],
      [1, 'superseded', 'Install complete'],
    ],
  )
  assert.deepEqual(await space.names('configmap'), ['a', 'c', 'kept'])
  assert.deepEqual((await space.live('configmap', 'a')).data, { x: '2' })
})

test('HR-121 HR-063 a failed upgrade is stored as failed, and cleanupOnFail takes away what it created', async () => {
  const space = await bed.space()
  await install(space.deps, await space.installOf(chartFiles({ 'a.yaml': configMap('a') })))
  const bad = chartFiles({
    'a.yaml': configMap('a'),
    'n.yaml': configMap('new'),
    'z.yaml': configMap('z', { x: [1] } as never),
  })
  const error = await failure(upgrade(space.deps, await space.upgradeOf(bad, { cleanupOnFail: true })))
  assert.match(
    error.message,
    /^failed to create resource: server-side apply failed for object rel-\d+\/z \/v1, Kind=ConfigMap: failed to create typed patch object/,
  )
  assert.equal(error.stored[0]?.info.status, 'failed')
  assert.match(error.stored[0]?.info.description ?? '', /^Upgrade "app" failed: failed to create resource/)
  assert.deepEqual(await space.names('configmap'), ['a'])
})

test('HR-123 a rollback brings back manifest, hooks and values as a new version', async () => {
  const space = await bed.space()
  await install(space.deps, await space.installOf(chartFiles({ 'a.yaml': configMap('a', { v: '1' }) })))
  const second = chartFiles({ 'a.yaml': configMap('a', { v: '2' }), 'b.yaml': configMap('b') })
  await upgrade(space.deps, await space.upgradeOf(second))
  const outcome = await rollback(space.deps, space.rollbackOf(1))
  assert.deepEqual(
    outcome.stored.map(({ version, info }) => [version, info.status, info.description]),
    [
      [3, 'deployed', 'Rollback to 1'],
      [2, 'superseded', 'Upgrade complete'],
    ],
  )
  assert.deepEqual(await space.names('configmap'), ['a'])
  assert.equal((await space.live('configmap', 'a')).data.v, '1')
  const history = JSON.parse(await space.helm(['history', 'app', '-o', 'json']))
  assert.deepEqual(
    history.map(({ revision, status }: { revision: number; status: string }) => [revision, status]),
    [
      [1, 'superseded'],
      [2, 'superseded'],
      [3, 'deployed'],
    ],
  )
})

test('HR-124 HR-080 an uninstall takes everything away, or keeps the history', async () => {
  const space = await bed.space()
  const files = chartFiles({
    'a.yaml': configMap('a'),
    'k.yaml': configMap('kept', {}, { 'helm.sh/resource-policy': 'keep' }),
    'h.yaml': job('after', hook('post-delete')),
  })
  await install(space.deps, await space.installOf(files))
  await uninstall(space.deps, space.uninstallOf())
  assert.deepEqual(await space.names('configmap'), ['kept'])
  assert.deepEqual(await space.names('job'), ['after'])
  assert.deepEqual(await space.names('secret'), [])

  await install(space.deps, await space.installOf(files))
  await uninstall(space.deps, space.uninstallOf({ keepHistory: true }))
  const [listed] = JSON.parse(await space.helm(['list', '-o', 'json']))
  assert.equal(listed.status, 'uninstalled')
  const again = await failure(uninstall(space.deps, space.uninstallOf({ keepHistory: true })))
  assert.equal(again.message, 'the release named "app" is already deleted')
})

test('HR-116 the oldest versions go, the deployed one never', async () => {
  const space = await bed.space()
  await install(space.deps, await space.installOf(chartFiles({ 'a.yaml': configMap('a') })))
  for (let version = 2; version <= 5; version++)
    await upgrade(
      space.deps,
      await space.upgradeOf(chartFiles({ 'a.yaml': configMap('a', { v: String(version) }) }), {
        ...{ token: String(version), maxHistory: 2 },
      }),
    )
  assert.deepEqual(await space.names('secret'), ['sh.helm.release.v1.app.v4', 'sh.helm.release.v1.app.v5'])
})

test('HR-128 HR-131 HR-133 hooks run in order, once each, in however many passes', async () => {
  const space = await bed.space()
  const files = chartFiles({
    'a.yaml': configMap('a'),
    'h1.yaml': job('second', hook('pre-install', { 'helm.sh/hook-weight': '5' })),
    'h2.yaml': job('first', hook('pre-install', { 'helm.sh/hook-weight': '-5' })),
    'h3.yaml': job('last', hook('post-install', { 'helm.sh/hook-delete-policy': 'hook-succeeded' })),
  })
  const request = await space.installOf(files)
  const deps = space.depsWith(bed.client, 0)
  const { release, passes } = await inPasses(() => install(deps, request))
  assert.ok(passes > 2, `it took ${passes} passes`)
  assert.deepEqual(await space.names('job'), ['first', 'second'])
  const runs = new Map(release.hooks?.map(({ name, last_run }) => [name, last_run]))
  assert.deepEqual(
    [...runs.values()].map(({ phase }) => phase),
    ['Succeeded', 'Succeeded', 'Succeeded'],
  )
  assert.ok(runs.get('first')!.completed_at! <= runs.get('second')!.started_at!)
  const generations = JSON.parse(await space.kubectl('get', 'jobs', '-o', 'json')).items
  assert.equal(generations.length, 2)
})

test('HR-131 HR-129 a failed hook ends the release, and goes by its policy', async () => {
  const space = await bed.space()
  const policy = { 'helm.sh/hook-delete-policy': 'hook-failed' }
  const files = chartFiles({ 'a.yaml': configMap('a'), 'h.yaml': job('stuck', hook('pre-install', policy), true) })
  const error = await failure(install(space.deps, await space.installOf(files, { timeoutMs: 1_000 })))
  assert.equal(
    error.message,
    `failed pre-install: timeout waiting for: [Job/${space.namespace}/stuck status: 'InProgress']`,
  )
  assert.equal(error.stored[0]?.info.description, `Release "app" failed: ${error.message}`)
  assert.equal(error.stored[0]?.hooks?.[0]?.last_run.phase, 'Failed')
  assert.deepEqual(await space.names('job'), [])
  assert.deepEqual(await space.names('configmap'), [])
})

test('HR-097 HR-133 a wait that ends in no pass ends by its timeout', async () => {
  const space = await bed.space()
  const files = chartFiles({ 'j.yaml': job('stuck', {}, true) })
  const deps = space.depsWith(bed.client, 0)
  const request = await space.installOf(files, { timeoutMs: 1_500 })
  const waiting = await install(deps, request)
  assert.equal(waiting.state, 'waiting')
  const error = await failure(inPasses(() => install(deps, request)))
  assert.equal(error.message, `timeout waiting for: [Job/${space.namespace}/stuck status: 'InProgress']`)
  assert.equal(error.stored[0]?.info.status, 'failed')
})

test('HR-074 HR-075 tests run by their filters, and what came of them is stored', async () => {
  const space = await bed.space()
  const files = chartFiles({
    'a.yaml': configMap('a'),
    't1.yaml': job('one', hook('test')),
    't2.yaml': job('two', hook('test')),
  })
  await install(space.deps, await space.installOf(files))
  const { release } = await testRelease(space.deps, space.testOf([{ name: 'two', exclude: true }]))
  assert.deepEqual(
    release.hooks?.map(({ name, last_run }) => [name, last_run.phase]),
    [
      ['two', ''],
      ['one', 'Succeeded'],
    ],
  )
  assert.deepEqual(await space.names('job'), ['one'])
})

test('HR-051 a release that nobody works on any more is unlocked', async () => {
  const space = await bed.space()
  const files = chartFiles({ 'j.yaml': job('stuck', {}, true) })
  await install(space.depsWith(bed.client, 0), await space.installOf(files))
  const blocked = await failure(upgrade(space.deps, await space.upgradeOf(files)))
  assert.equal(blocked.message, 'another operation (install/upgrade/rollback) is in progress')
  const unlocked = await unlock(space.deps, 'app')
  assert.equal(unlocked?.info.description, "Release unlocked from stale 'pending-install' state")
  assert.match(await space.helm(['status', 'app']), /STATUS: failed/)
})

test('HR-067 HR-068 what was applied client-side is merged three ways, and goes over to server-side apply whole', async () => {
  const space = await bed.space()
  const first = chartFiles({ 'a.yaml': configMap('a', { x: '1', y: '1' }) })
  await install(space.deps, await space.installOf(first, { serverSideApply: false }))
  await space.kubectl('patch', 'configmap', 'a', '--type=merge', '-p', '{"data":{"own":"stays"}}')
  const second = chartFiles({ 'a.yaml': configMap('a', { x: '2' }) })
  await upgrade(space.deps, await space.upgradeOf(second))
  assert.deepEqual((await space.live('configmap', 'a')).data, { own: 'stays', x: '2' })
  const third = chartFiles({ 'a.yaml': configMap('a', { z: '3' }) })
  const { release } = await upgrade(
    space.deps,
    await space.upgradeOf(third, { token: '3', serverSideApply: 'enabled' }),
  )
  assert.equal(release.apply_method, 'ssa')
  assert.deepEqual((await space.live('configmap', 'a')).data, { own: 'stays', z: '3' })
})
