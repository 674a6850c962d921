import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ArtifactStore } from '../../../../lib/platform/ports/artifacts.ts'
import { shown } from '../world.ts'
import { author, onStage, releaseRef, type Scene } from './scene.ts'

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

/** The values of a chart from a Secret: of a file, and one by itself. */
const ofSecret = async (hub: Scene['hub']) => {
  const stringData = { 'values.yaml': 'login: {password: planted-deep}\n', pin: 'planted-pin' }
  const metadata = { name: 'values', namespace: 'default' }
  await hub.create({ apiVersion: 'v1', kind: 'Secret', metadata, stringData } as never, author)
  const from = { kind: 'Secret', name: 'values' } as const
  return [from, { ...from, valuesKey: 'pin', targetPath: 'pin' }]
}

/** What is said of the HelmRelease `app`: conditions, events, log. */
const said = async ({ read, eventsOf, lines }: Scene) => {
  const log = lines.map(({ error, ...line }) => `${JSON.stringify(line)} ${error}`).join('\n')
  return [shown(await read('app')).join('\n'), (await eventsOf(releaseRef('app'))).join('\n'), log] as const
}

const encoded = Buffer.from('planted-pin').toString('base64')

test('a chart that fails with a value of a Secret has it quoted nowhere', () =>
  onStage({}, async scene => {
    const { hub, publish, release } = scene
    const valuesFrom = await ofSecret(hub)
    const fail = '{{ fail (printf "%s, %s, %s" .Values.login.password (b64enc .Values.pin) .Values.user) }}'
    await publish('1.0.0', 'app', { 'app/templates/fail.yaml': fail })
    await release('app', { ...ofApp, valuesFrom, values: { user: 'somebody' } })
    const [conditions, events, log] = await said(scene)
    assert.match(conditions, /\*\*\*, \*\*\*, somebody/)
    assert.match(events, /\*\*\*, \*\*\*, somebody/)
    for (const value of ['planted', encoded]) assert.ok(![conditions, events, log].join('\n').includes(value), value)
  }))

test('neither has a release that can not be uninstalled, even if the Secret is gone or has another value by then', () =>
  onStage({}, async scene => {
    const { hub, publish, release, settle } = scene
    const valuesFrom = await ofSecret(hub)
    const label = '{{ .Values.login.password }} {{ b64enc .Values.pin }} of {{ .Values.user }}'
    const annotations = 'annotations: {helm.sh/hook: pre-delete}'
    const hook = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: hook, labels: {wrong: "${label}"}, ${annotations}}\n`
    await publish('1.0.0', 'app', { 'app/templates/hook.yaml': hook })
    await release('app', { ...ofApp, valuesFrom, values: { user: 'somebody' } })
    assert.match((await said(scene))[0], /Ready=True InstallSucceeded/)
    await hub.delete({ group: '', kind: 'Secret', namespace: 'default', name: 'values' }, {})
    await hub.delete(releaseRef('app'), {})
    await settle()
    const [conditions, events, log] = await said(scene)
    assert.match(conditions, /Ready=False UninstallFailed: .*Invalid value: "\*\*\* \*\*\* of somebody"/s)
    assert.match(events, /UninstallFailed .*\*\*\* \*\*\* of somebody/s)
    for (const value of ['planted', encoded]) assert.ok(![conditions, events, log].join('\n').includes(value), value)
  }))
