import assert from 'node:assert/strict'
import { test } from 'node:test'
import { install } from '../../lib/clusters/helm-release/install.ts'
import { rollback } from '../../lib/clusters/helm-release/rollback.ts'
import { test as testRelease } from '../../lib/clusters/helm-release/test.ts'
import { uninstall } from '../../lib/clusters/helm-release/uninstall.ts'
import { upgrade } from '../../lib/clusters/helm-release/upgrade.ts'
import type { KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import { helm3Binary, helmBinary } from '../bed/helm-binary.ts'
import { chartFiles, configMap, type Files, helmReleaseBed, job } from './helm-release-bed.ts'

const bed = await helmReleaseBed()

/** The real helms, what their upgrades and rollbacks are told, and how they install. */
const programs = [
  { name: 'helm 3', binary: helm3Binary, force: [], modes: [[]] },
  {
    ...{ name: 'helm 4', binary: helmBinary, force: ['--force-conflicts'] },
    modes: [['--server-side=true'], ['--server-side=false']],
  },
] as const

const events = [
  'pre-install',
  'post-install',
  'pre-upgrade',
  'post-upgrade',
  'pre-rollback',
  'post-rollback',
  'pre-delete',
]

/** A chart whose hooks leave an object behind that tells by its UID how often each has run. */
const chart = (version: string, more: Files = {}) =>
  chartFiles(
    {
      'cm.yaml': configMap('cm', { version }),
      ...Object.fromEntries(events.map(event => [`${event}.yaml`, job(event, { 'helm.sh/hook': event })])),
      'try.yaml': job('try', { 'helm.sh/hook': 'test' }),
      ...more,
    },
    version,
  )

type Space = Awaited<ReturnType<typeof bed.space>>

const wait = ['--wait', '--timeout', '60s']

const inSpace = async (binary: () => Promise<string>) => {
  const space = await bed.space()
  const helm = (args: readonly string[], files?: Files) => space.helm(args, files, binary)
  const history = async (): Promise<string[]> =>
    JSON.parse(await helm(['history', 'app', '-o', 'json'])).map(
      ({ revision, status, description }: Record<string, unknown>) => `${revision} ${status}: ${description}`,
    )
  return { space, helm, history }
}

/** The Jobs of hooks by their names, and the UIDs that they have now. */
const hooksOf = async (space: Space): Promise<ReadonlyMap<string, string>> => {
  const { items } = await bed.get<{ items: KubernetesObject[] }>('-n', space.namespace, 'job')
  return new Map(items.map(({ metadata }) => [metadata.name, metadata.uid!]))
}

/** Which hooks an action has run. */
const ran = async (space: Space, action: () => Promise<unknown>): Promise<string[]> => {
  const before = await hooksOf(space)
  await action()
  return [...(await hooksOf(space))].filter(([name, uid]) => before.get(name) !== uid).map(([name]) => name)
}

for (const { name, binary, force, modes } of programs) {
  test(`HR-118 ${name} continues with a release of ours: status, values, test, upgrade, rollback, uninstall, and their hooks`, async () => {
    const { space, helm, history } = await inSpace(binary)
    await install(space.deps, await space.installOf(chart('1.0.0')))
    assert.match(await helm(['status', 'app']), /STATUS: deployed/)
    assert.match(await helm(['get', 'hooks', 'app']), /name: pre-rollback/)
    assert.match(await helm(['get', 'values', '--all', 'app']), /greeting: hello/)
    assert.match(await helm(['test', 'app', '--timeout', '60s']), /Phase: +Succeeded/)
    const next = chart('1.1.0', { 'n.yaml': configMap('new') })
    assert.deepEqual(await ran(space, () => helm(['upgrade', 'app', 'CHART', ...wait, ...force], next)), [
      'post-upgrade',
      'pre-upgrade',
    ])
    assert.deepEqual(await space.names('configmap'), ['cm', 'new'])
    assert.deepEqual(await ran(space, () => helm(['rollback', 'app', '1', ...wait, ...force])), [
      'post-rollback',
      'pre-rollback',
    ])
    assert.deepEqual(await history(), [
      '1 superseded: Install complete',
      '2 superseded: Upgrade complete',
      '3 deployed: Rollback to 1',
    ])
    assert.deepEqual(await space.names('configmap'), ['cm'])
    assert.deepEqual(await ran(space, () => helm(['uninstall', 'app', ...wait])), ['pre-delete'])
    assert.deepEqual(await space.names('configmap'), [])
    assert.deepEqual(await space.names('secret'), [])
  })

  for (const mode of modes) {
    test(`HR-118 we go on with a release of ${[name, ...mode].join(' ')}: upgrade, test, rollback, uninstall, and their hooks`, async () => {
      const { space, helm, history } = await inSpace(binary)
      await helm(['install', 'app', 'CHART', ...mode, ...wait], chart('1.0.0', { 'o.yaml': configMap('old') }))
      assert.deepEqual(await ran(space, async () => upgrade(space.deps, await space.upgradeOf(chart('1.1.0')))), [
        'post-upgrade',
        'pre-upgrade',
      ])
      assert.deepEqual(await space.names('configmap'), ['cm'])
      const tested = await testRelease(space.deps, space.testOf())
      assert.equal(tested.release.hooks?.find(hook => hook.name === 'try')?.last_run.phase, 'Succeeded')
      assert.deepEqual(await ran(space, () => rollback(space.deps, space.rollbackOf(1))), [
        'post-rollback',
        'pre-rollback',
      ])
      assert.deepEqual(await history(), [
        '1 superseded: Install complete',
        '2 superseded: Upgrade complete',
        '3 deployed: Rollback to 1',
      ])
      assert.deepEqual(await space.names('configmap'), ['cm', 'old'])
      assert.equal((await space.live('configmap', 'cm')).data.version, '1.0.0')
      assert.match(await helm(['status', 'app']), /STATUS: deployed/)
      assert.deepEqual(await ran(space, () => uninstall(space.deps, space.uninstallOf())), ['pre-delete'])
      assert.deepEqual(await space.names('configmap'), [])
      assert.deepEqual(await space.names('secret'), [])
    })
  }

  test(`HR-118 ${name} and ours take turns on one release`, async () => {
    const { space, helm, history } = await inSpace(binary)
    const version = async () => (await space.live('configmap', 'cm')).data.version
    await install(space.deps, await space.installOf(chart('1.0.0')))
    await helm(['upgrade', 'app', 'CHART', ...wait, ...force], chart('1.1.0'))
    await upgrade(space.deps, await space.upgradeOf(chart('1.2.0', { 'n.yaml': configMap('new') })))
    assert.equal(await version(), '1.2.0')
    await helm(['rollback', 'app', '2', ...wait, ...force])
    assert.equal(await version(), '1.1.0')
    assert.deepEqual(await space.names('configmap'), ['cm'])
    await rollback(space.deps, space.rollbackOf(3))
    assert.equal(await version(), '1.2.0')
    assert.deepEqual(await space.names('configmap'), ['cm', 'new'])
    await helm(['rollback', 'app', ...wait, ...force])
    assert.equal(await version(), '1.1.0')
    assert.deepEqual((await history()).slice(-3), [
      '4 superseded: Rollback to 2',
      '5 superseded: Rollback to 3',
      '6 deployed: Rollback to 4',
    ])
    await uninstall(space.deps, space.uninstallOf())
    assert.deepEqual(await space.names('configmap'), [])
    assert.deepEqual(await space.names('secret'), [])
  })
}
