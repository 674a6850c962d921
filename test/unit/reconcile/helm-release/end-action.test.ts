/** An action that goes on over many passes, when its release is suspended or deleted meanwhile. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterClient } from '../../../../lib/clusters/client/client.ts'
import { releaseStorage } from '../../../../lib/clusters/helm-release/storage.ts'
import type { HelmReleaseSpec } from '../../../../lib/foundations/kinds/helm-release.ts'
import type { KubernetesObject, ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import type { HelmReleaseSettings } from '../../../../lib/reconcile/helm-release/settings.ts'
import { shown } from '../world.ts'
import { author, chartRef, onStage, releaseRef, type Scene } from './scene.ts'

const child: ObjectRef = {
  group: 'kustomize.toolkit.fluxcd.io',
  kind: 'Kustomization',
  namespace: 'default',
  name: 'child',
}

/** Nobody reconciles it: it gets ready when a test says so. */
const withChild = {
  'app/templates/child.yaml': `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: child}
spec: {interval: 10m, prune: true, path: ./child, sourceRef: {kind: GitRepository, name: never}}
`,
}

interface DuringWait extends Scene {
  /** The stored versions, newest first. */
  versions(): Promise<readonly string[]>
  conditions(): Promise<string>
}

interface Circumstances {
  readonly spec?: Partial<HelmReleaseSpec>
  readonly settings?: Partial<HelmReleaseSettings>
  /** Version 1.0.0 is installed without the child: then the wait is an upgrade's. */
  readonly isInstalled?: boolean
}

/** A release whose action has been waiting for 10 of its 60 seconds. */
const duringWait = (
  { spec, settings, isInstalled = false }: Circumstances,
  story: (scene: DuringWait) => Promise<void>,
): Promise<void> => {
  let cluster: ClusterClient | undefined
  return onStage({ cluster: hub => (cluster = hub), ...(settings && { settings }) }, async scene => {
    const ofApp = { chartRef: { kind: 'HelmChart' as const, name: 'app' }, timeout: '1m', ...spec }
    if (isInstalled) {
      await scene.publish('1.0.0')
      await scene.release('app', ofApp)
      await scene.publish('1.1.0', 'app', withChild)
    } else {
      await scene.publish('1.0.0', 'app', withChild)
      await scene.release('app', ofApp)
    }
    await scene.advance(10_000)
    const storage = releaseStorage(cluster!, 'default', scene.clock)
    const running = isInstalled ? 'upgrade' : 'install'
    const conditions = async () => shown(await scene.read('app')).join('\n')
    assert.match(await conditions(), new RegExp(`Ready=Unknown Progressing: Running '${running}' action`))
    await story({
      ...scene,
      conditions,
      versions: async () =>
        (await storage.history('app')).map(({ release: { version, info } }) => `${version} ${info.status}`),
    })
  })
}

const suspend = ({ hub, settle }: Scene, isSuspended = true) =>
  hub.patch(releaseRef('app'), { type: 'merge', patch: { spec: { suspend: isSuspended } } }, author).then(settle)

const passesOf = ({ passes }: Scene) => passes.filter(({ ref }) => ref.name === 'app').length

test('HR-161 a suspension waits for the end of an installation, which fails in its time', () =>
  duringWait({ spec: { install: { remediation: { retries: 0 } } } }, async scene => {
    await suspend(scene)
    await scene.advance(20_000)
    assert.match(await scene.conditions(), /Ready=Unknown Progressing: Running 'install' action/)
    assert.deepEqual(await scene.versions(), ['1 pending-install'])
    await scene.advance(45_000)
    assert.match(await scene.conditions(), /Ready=False InstallFailed: .*timeout waiting for/)
    assert.deepEqual(await scene.versions(), ['1 failed'])
    const before = passesOf(scene)
    await scene.advance(600_000)
    assert.equal(passesOf(scene), before, 'it rests')
    assert.deepEqual(await scene.versions(), ['1 failed'])
  }))

test('HR-161 what gets ready while its release is suspended is released, and resuming finds it so', () =>
  duringWait({}, async scene => {
    await suspend(scene)
    const { generation } = (await scene.hub.get<KubernetesObject>(child))!.metadata
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'Ready',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    }
    const status = { observedGeneration: generation, conditions: [ready] }
    await scene.hub.patch(child, { type: 'merge', patch: { status } }, { subresource: 'status', ...author })
    await scene.advance(15_000)
    const succeeded = /^Ready=True InstallSucceeded: .*\nReleased=True InstallSucceeded: .*$/
    assert.match(await scene.conditions(), succeeded)
    const { metadata, status: after } = (await scene.read('app'))!
    assert.equal(after?.observedGeneration, metadata.generation)
    assert.deepEqual(after?.inventory?.entries.map(({ id }) => id).sort(), [
      'default_app__ConfigMap',
      'default_app__ServiceAccount',
      'default_child_kustomize.toolkit.fluxcd.io_Kustomization',
    ])
    await suspend(scene, false)
    await scene.advance(5_000)
    assert.deepEqual(await scene.versions(), ['1 deployed'])
    assert.match(await scene.conditions(), succeeded)
  }))

test('HR-161 what fails while its release is suspended is remediated, and not tried again before it is resumed', () =>
  duringWait({ isInstalled: true, spec: { upgrade: { remediation: { retries: 1 } } } }, async scene => {
    await suspend(scene)
    await scene.advance(65_000)
    const remediated = ['3 deployed', '2 failed', '1 superseded']
    assert.deepEqual(await scene.versions(), remediated)
    assert.match(await scene.conditions(), /Remediated=True RollbackSucceeded/)
    await scene.advance(600_000)
    assert.deepEqual(await scene.versions(), remediated)
    await suspend(scene, false)
    assert.deepEqual((await scene.versions())[0], '4 pending-upgrade')
  }))

test('HR-161 chart and values may be gone, or others, when a suspended release ends its action', () =>
  duringWait({ isInstalled: true, spec: { upgrade: { remediation: { retries: 0 } } } }, async scene => {
    const patch = { spec: { suspend: true, values: { greeting: 'other' } } }
    await scene.hub.patch(releaseRef('app'), { type: 'merge', patch }, author)
    await scene.hub.delete(chartRef('app'), {})
    await scene.advance(65_000)
    assert.deepEqual(await scene.versions(), ['2 failed', '1 deployed'])
    assert.match(await scene.conditions(), /Ready=False UpgradeFailed/)
    await scene.advance(600_000)
    assert.deepEqual(await scene.versions(), ['2 failed', '1 deployed'])
  }))

test('HR-161 a deletion waits for the end of an action, then uninstalls', () =>
  duringWait({}, async scene => {
    await scene.hub.delete(releaseRef('app'), {})
    await scene.advance(20_000)
    assert.deepEqual(await scene.versions(), ['1 pending-install'])
    await scene.advance(45_000)
    assert.equal(await scene.read('app'), undefined)
    assert.deepEqual(await scene.versions(), [])
    assert.equal(await scene.hub.get(child), undefined)
    const events = await scene.eventsOf(releaseRef('app'))
    assert.deepEqual(events.map(event => event.split(' ')[1]).sort(), ['InstallFailed', 'UninstallSucceeded'])
  }))

for (const [title, act] of [
  ['a suspension', suspend],
  ['a deletion', ({ hub, settle }: Scene) => hub.delete(releaseRef('app'), {}).then(settle)],
] as const)
  test(`HR-055 HR-161 with CancelHealthCheckOnNewRevision ${title} ends the wait`, () =>
    duringWait({ settings: { cancelHealthChecks: true } }, async scene => {
      await act(scene)
      const events = await scene.eventsOf(releaseRef('app'))
      const canceled = 'Health checks canceled due to new reconciliation triggered by HelmRelease/default/app'
      assert.ok(events.includes(`Normal HealthCheckCanceled 1x: ${canceled}`), events.join('\n'))
      assert.ok(!(await scene.versions()).includes('1 pending-install'))
    }))
