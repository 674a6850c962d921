import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ArtifactStore } from '../../../../lib/platform/ports/artifacts.ts'
import { shown } from '../world.ts'
import { onStage } from './scene.ts'

const ofApp = { chartRef: { kind: 'HelmChart', name: 'app' } } as const

test('HR-158 a chart that several releases use is read once, and again when there is another', () => {
  const reads: string[] = []
  const counting = (artifacts: ArtifactStore): ArtifactStore => ({
    ...artifacts,
    get: name => {
      reads.push(name)
      return artifacts.get(name)
    },
  })
  return onStage(
    { through: platform => ({ ...platform, artifacts: counting(platform.artifacts) }) },
    async ({ publish, release, read }) => {
      await publish('1.0.0')
      for (const name of ['one', 'two', 'three']) await release(name, ofApp)
      for (const name of ['one', 'two', 'three'])
        assert.match(shown(await read(name)).join('\n'), /Ready=True InstallSucceeded/)
      assert.equal(reads.length, 1)
      await publish('1.1.0')
      for (const name of ['one', 'two', 'three'])
        assert.match(shown(await read(name)).join('\n'), /Ready=True UpgradeSucceeded/)
      assert.equal(reads.length, 2)
    },
  )
})

test('HR-008 a chart whose source is in another namespace is refused where that is not allowed, with an event', () =>
  onStage({ settings: { noCrossNamespaceRefs: true } }, async ({ release, read, eventsOf }) => {
    const sourceRef = { kind: 'HelmRepository', name: 'charts', namespace: 'other' } as const
    await release('app', { chart: { spec: { chart: 'app', sourceRef } } })
    const why = "can't access 'HelmChart/other/default-app', cross-namespace references have been blocked"
    const found = await read('app')
    assert.deepEqual(shown(found).toSorted(), [`Ready=False AccessDenied: ${why}`, `Stalled=True AccessDenied: ${why}`])
    const ref = { group: 'helm.toolkit.fluxcd.io', kind: 'HelmRelease', namespace: 'default', name: 'app' }
    assert.deepEqual(await eventsOf(ref), [`Warning AccessDenied 1x: ${why}`])
  }))

test('a chart that fails with a value of a Secret has it quoted nowhere', () =>
  onStage({}, async ({ hub, publish, release, read, eventsOf, lines }) => {
    const stringData = { 'values.yaml': 'login: {password: planted-deep}\n', pin: 'planted-pin' }
    const metadata = { name: 'values', namespace: 'default' }
    await hub.create({ apiVersion: 'v1', kind: 'Secret', metadata, stringData } as never, { fieldManager: 'someone' })
    const fail = '{{ fail (printf "%s, %s, %s" .Values.login.password (b64enc .Values.pin) .Values.user) }}'
    await publish('1.0.0', 'app', { 'app/templates/fail.yaml': fail })
    const from = { kind: 'Secret', name: 'values' } as const
    const valuesFrom = [from, { ...from, valuesKey: 'pin', targetPath: 'pin' }]
    await release('app', { ...ofApp, valuesFrom, values: { user: 'somebody' } })
    const ref = { group: 'helm.toolkit.fluxcd.io', kind: 'HelmRelease', namespace: 'default', name: 'app' }
    const [conditions, events] = [shown(await read('app')).join('\n'), (await eventsOf(ref)).join('\n')]
    assert.match(conditions, /\*\*\*, \*\*\*, somebody/)
    assert.match(events, /\*\*\*, \*\*\*, somebody/)
    const log = lines.map(({ error, ...line }) => `${JSON.stringify(line)} ${error}`).join('\n')
    const encoded = Buffer.from('planted-pin').toString('base64')
    for (const value of ['planted', encoded]) assert.ok(![conditions, events, log].join('\n').includes(value), value)
  }))
