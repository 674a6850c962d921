import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { Plan } from '../../../../lib/foundations/kinds/plan.ts'
import { author, onStage, releaseRef } from './scene.ts'
import { conditionsIn } from './undo-scene.ts'

const child = { group: 'source.toolkit.fluxcd.io', kind: 'GitRepository', namespace: 'default', name: 'child' }
const withChild = {
  'app/templates/child.yaml':
    'apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: child}\nspec: {interval: 1m, url: "https://git.example/x"}\n',
}

test('the Run of an upgrade that ends in a later pass names the approved plan, which is applied by then', () =>
  onStage({}, async scene => {
    const { hub, settle, advance, publish, release, runs } = scene
    await publish('1.0.0')
    await release('app', { chartRef: { kind: 'HelmChart', name: 'app' }, timeout: '1h' })
    const annotations = { 'fleet.keelson.dev/approval': 'Required' }
    await hub.patch(releaseRef('app'), { type: 'merge', patch: { metadata: { annotations } } }, author)
    await publish('2.0.0', 'app', withChild)
    const planNow = async (): Promise<Plan> =>
      (await hub.list<Plan>({ group: 'fleet.keelson.dev', kind: 'Plan', namespace: 'default' })).items[0]!
    const { metadata, spec } = await planNow()
    const approval = {
      apiVersion: 'fleet.keelson.dev/v1alpha1',
      kind: 'Approval',
      metadata: { name: 'mine', namespace: 'default' },
      spec: { subject: { kind: 'Plan', name: metadata.name }, digest: spec.digest },
    }
    await hub.create(approval, { ...author, user: 'jane' })
    await settle()
    assert.match((await conditionsIn(scene)).ready ?? '', /^Unknown Progressing: Running 'upgrade' action/)
    assert.equal((await planNow()).status?.phase, 'Approved')

    const { generation } = (await hub.get<KubernetesObject>(child))!.metadata
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'Ready',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    }
    const status = { observedGeneration: generation, conditions: [{ ...ready, observedGeneration: generation }] }
    await hub.patch(child, { type: 'merge', patch: { status } }, { subresource: 'status', ...author })
    await advance(60_000)
    assert.match((await conditionsIn(scene)).ready ?? '', /^True UpgradeSucceeded/)
    const run = (await runs()).find(({ revision }) => revision === '2.0.0')
    assert.deepEqual(run?.plan, { name: metadata.name, digest: spec.digest, approvedBy: ['jane'] })
    assert.equal((await planNow()).status?.phase, 'Applied')
  }))

test('drift is corrected to what is released while an upgrade waits for an approval, if it is corrected at all', () =>
  onStage({}, async scene => {
    const { hub, advance, publish, release } = scene
    const template = (value: string) => ({
      'app/templates/settings.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {value: "${value}"}\n`,
    })
    await publish('1.0.0', 'app', template('1'))
    await release('app', { chartRef: { kind: 'HelmChart', name: 'app' }, driftDetection: { mode: 'enabled' } })
    const annotations = { 'fleet.keelson.dev/approval': 'Required' }
    await hub.patch(releaseRef('app'), { type: 'merge', patch: { metadata: { annotations } } }, author)
    await publish('2.0.0', 'app', template('2'))
    const settings = { group: '', kind: 'ConfigMap', namespace: 'default', name: 'settings' }
    await hub.patch(settings, { type: 'merge', patch: { data: { value: 'by hand' } } }, author)
    await advance(2 * 60 * 60_000)
    assert.deepEqual((await hub.get<KubernetesObject>(settings))?.data, { value: '1' })
    assert.match((await conditionsIn(scene)).ready ?? '', /^True InstallSucceeded/)
  }))
