import assert from 'node:assert/strict'
import { test } from 'node:test'
import { install } from '../../lib/clusters/helm-release/install.ts'
import { rollback } from '../../lib/clusters/helm-release/rollback.ts'
import { test as testRelease } from '../../lib/clusters/helm-release/test.ts'
import { uninstall } from '../../lib/clusters/helm-release/uninstall.ts'
import { upgrade } from '../../lib/clusters/helm-release/upgrade.ts'
import { chartFiles, configMap, type Files, helmReleaseBed, job } from './helm-release-bed.ts'

const bed = await helmReleaseBed()

const chart = (version: string, more: Files = {}) =>
  chartFiles(
    {
      'cm.yaml': configMap('cm', { version }),
      ...{
        'back.yaml': job('back', { 'helm.sh/hook': 'post-rollback' }),
        'up.yaml': job('up', { 'helm.sh/hook': 'pre-upgrade' }),
      },
      ...{
        'gone.yaml': job('gone', { 'helm.sh/hook': 'pre-delete' }),
        'try.yaml': job('try', { 'helm.sh/hook': 'test' }),
      },
      ...more,
    },
    version,
  )

type Space = Awaited<ReturnType<typeof bed.space>>

const history = async (space: Space): Promise<string[]> =>
  JSON.parse(await space.helm(['history', 'app', '-o', 'json'])).map(
    ({ revision, status, description }: Record<string, unknown>) => `${revision} ${status}: ${description}`,
  )

test('HR-118 helm goes on with a release of ours: status, values, test, upgrade, rollback, uninstall', async () => {
  const space = await bed.space()
  await install(space.deps, await space.installOf(chart('1.0.0')))
  assert.match(await space.helm(['status', 'app']), /STATUS: deployed/)
  assert.match(await space.helm(['get', 'hooks', 'app']), /name: back/)
  assert.match(await space.helm(['get', 'values', '--all', 'app']), /greeting: hello/)
  assert.match(await space.helm(['test', 'app', '--timeout', '30s']), /Phase: +Succeeded/)
  await space.helm(
    ['upgrade', 'app', 'CHART', '--wait', '--timeout', '30s', '--force-conflicts'],
    chart('1.1.0', { 'n.yaml': configMap('new') }),
  )
  assert.deepEqual(await space.names('configmap'), ['cm', 'new'])
  await space.helm(['rollback', 'app', '1', '--wait', '--timeout', '30s', '--force-conflicts'])
  assert.deepEqual(await history(space), [
    '1 superseded: Install complete',
    '2 superseded: Upgrade complete',
    '3 deployed: Rollback to 1',
  ])
  assert.deepEqual(await space.names('configmap'), ['cm'])
  assert.deepEqual(await space.names('job'), ['back', 'try', 'up'])
  await space.helm(['uninstall', 'app', '--wait', '--timeout', '30s'])
  assert.deepEqual(await space.names('configmap'), [])
  assert.deepEqual(await space.names('secret'), [])
})

for (const serverSide of ['true', 'false'])
  test(`HR-118 we go on with a release of helm's, applied with --server-side=${serverSide}: upgrade, test, rollback, uninstall`, async () => {
    const space = await bed.space()
    const flags = [`--server-side=${serverSide}`, '--wait', '--timeout', '30s']
    await space.helm(['install', 'app', 'CHART', ...flags], chart('1.0.0', { 'o.yaml': configMap('old') }))
    await upgrade(space.deps, await space.upgradeOf(chart('1.1.0')))
    assert.deepEqual(await space.names('configmap'), ['cm'])
    const tested = await testRelease(space.deps, space.testOf())
    assert.equal(tested.release.hooks?.find(({ name }) => name === 'try')?.last_run.phase, 'Succeeded')
    await rollback(space.deps, space.rollbackOf(1))
    assert.deepEqual(await history(space), [
      '1 superseded: Install complete',
      '2 superseded: Upgrade complete',
      '3 deployed: Rollback to 1',
    ])
    assert.deepEqual(await space.names('configmap'), ['cm', 'old'])
    assert.equal((await space.live('configmap', 'cm')).data.version, '1.0.0')
    assert.match(await space.helm(['status', 'app']), /STATUS: deployed/)
    await uninstall(space.deps, space.uninstallOf())
    assert.deepEqual(await space.names('configmap'), [])
    assert.deepEqual(await space.names('secret'), [])
  })
