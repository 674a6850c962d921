/** A cluster that refuses an object quotes what is wrong with it: what everybody can read of that holds no value of a Secret. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterClient } from '../../../../lib/clusters/client/client.ts'
import type { Event } from '../../../../lib/foundations/kinds/event.ts'
import { ageLock, encryptSopsYaml } from '../../../bed/encrypt-sops.ts'
import { ageKey, decryptedWith, putSecret } from './decryption/decryption-scene.ts'
import { configMap, onStage, type Scene } from './scene.ts'

const withLabel = (name: string, label: string): string =>
  configMap(name, 'x').replace('metadata:', `metadata:\n  labels: {wrong: "${label}"}`)

const ofSecret = (name: string, spec: object = {}) => ({
  postBuild: { substituteFrom: [{ kind: 'Secret' as const, name }], ...spec },
})

/** What is said of the Kustomization `app`: conditions, events, log. */
const said = async ({ hub, conditions, lines }: Scene) => {
  const events = await hub.list<Event>({ group: '', kind: 'Event', namespace: 'default' })
  const describe = ({ error, ...line }: (typeof lines)[number]) =>
    JSON.stringify({ ...line, error: error instanceof Error ? [error.message, `${error.cause}`] : error })
  return {
    ready: (await conditions('app')).find(line => line.startsWith('Ready')) ?? '',
    all: [...(await conditions('app')), ...events.items.map(({ message }) => `${message}`), ...lines.map(describe)],
  }
}

test('a value that a variable takes from a Secret, whole, quoted, or as an expression has changed it', () =>
  onStage({}, async scene => {
    await putSecret(scene, 'variables', { whole: 'planted-one', quoted: "planted'two\\", part: 'planted-three' })
    await scene.push('1', {
      'a.yaml': withLabel('a', '${whole} is no label'),
      'b.yaml': withLabel('b', 'no label, ${quoted}'),
      'c.yaml': withLabel('c', 'is no ${part^^}'),
    })
    await scene.kustomize('app', ofSecret('variables'))
    const { ready, all } = await said(scene)
    assert.match(ready, /ConfigMap\/default\/a .*Invalid value: "\*\*\* is no label"/s)
    assert.match(ready, /ConfigMap\/default\/c .*Invalid value: "\*\*\*"/s)
    assert.deepEqual(
      all.filter(text => /planted/i.test(text)),
      [],
    )
    assert.ok(all.length > 3)
  }))

test('what SOPS encrypted in another kind', async () => {
  const { identity, recipient } = await ageKey()
  const metadata = { name: 'whole', namespace: 'default', labels: { wrong: 'planted is no label' } }
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value: 'x' } }
  const options = { locks: [ageLock(recipient)], encryptedRegex: '^labels$' }
  const encrypted = await encryptSopsYaml(object, options)
  await onStage({}, async scene => {
    await putSecret(scene, 'keys', { 'a.agekey': identity })
    await scene.push('1', { 'whole.yaml': encrypted })
    await scene.kustomize('app', decryptedWith('keys'))
    const { ready, all } = await said(scene)
    assert.match(ready, /ConfigMap\/default\/whole .*Invalid value: "\*\*\*"/s)
    assert.deepEqual(
      all.filter(text => text.includes('planted')),
      [],
    )
  })
})

test('what is no secret stays: names of objects, other variables, and values that are written in the source', () =>
  onStage({}, async scene => {
    await putSecret(scene, 'variables', { namespace: 'default', user: 'frontend', flag: 'true' })
    await scene.push('1', { 'a.yaml': withLabel('frontend', 'no label for ${user} and ${color}, true') })
    await scene.kustomize('app', ofSecret('variables', { substitute: { color: 'turquoise' } }))
    const { ready } = await said(scene)
    assert.match(ready, /ConfigMap\/default\/frontend .*no label for frontend and turquoise, true/s)
  }))

const secret = (name: string, value: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata: {name: ${name}, namespace: default}\nstringData: {value: "${value}"}\n`

/** A cluster where a controller has given ConfigMaps what only kinds without a schema may have: a text for a number. */
const sayingOfItself =
  (observedGeneration: string) =>
  (real: ClusterClient): ClusterClient => ({
    ...real,
    get: async (...args) => {
      const object = await real.get(...args)
      if (object?.kind !== 'ConfigMap') return object
      return { ...object, metadata: { ...object.metadata, generation: 1 }, status: { observedGeneration } }
    },
  })

test('an object whose health can not be read, when a later pass gives it up: values of applied Secrets and of variables, but no names', () => {
  const cluster = sayingOfItself("frontend can't use planted-applied, planted-variable")
  return onStage({ cluster }, async scene => {
    await putSecret(scene, 'variables', { token: 'planted-variable\n', name: 'frontend' })
    await scene.push('1', { 'a.yaml': configMap('frontend', 'x'), 'b.yaml': secret('s', 'planted-applied') })
    await scene.kustomize('app', { wait: true, timeout: '1m', ...ofSecret('variables') })
    assert.match((await said(scene)).ready, /Ready=Unknown Progressing/)
    await scene.advance(62_000)
    const { ready, all } = await said(scene)
    assert.match(ready, /HealthCheckFailed: .*accessor error: frontend can't use \*\*\*, \*\*\* is of the type string/)
    assert.ok(all.some(text => text.startsWith('health check failed after 1m')))
    assert.deepEqual(
      all.filter(text => text.includes('planted')),
      [],
    )
  })
})

for (const undoLimit of [10, 0]) {
  const kept = undoLimit === 0 ? 'no builds are kept' : 'builds are kept for an undo'

  test(`the same of what SOPS encrypted in another kind, where ${kept}`, async () => {
    const { identity, recipient } = await ageKey()
    const metadata = { name: 'frontend', namespace: 'default' }
    const data = { url: 'planted-under-sops', open: 'as it is' }
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }
    const encrypted = await encryptSopsYaml(object, { locks: [ageLock(recipient)], encryptedRegex: '^url$' })
    const cluster = sayingOfItself("frontend can't use planted-under-sops")
    await onStage({ cluster, settings: { undoLimit } }, async scene => {
      await putSecret(scene, 'keys', { 'a.agekey': identity })
      await scene.push('1', { 'a.yaml': encrypted })
      await scene.kustomize('app', { wait: true, timeout: '1m', ...decryptedWith('keys') })
      await requireMasked(scene, "frontend can't use ***")
    })
  })

  test(`the same of what an expression made of a variable, where ${kept}`, () => {
    const cluster = sayingOfItself("frontend can't use PLANTED-VARIABLE")
    return onStage({ cluster, settings: { undoLimit } }, async scene => {
      await putSecret(scene, 'variables', { token: 'planted-variable' })
      await scene.push('1', { 'a.yaml': configMap('frontend', '${token^^}') })
      await scene.kustomize('app', { wait: true, timeout: '1m', ...ofSecret('variables') })
      await requireMasked(scene, "frontend can't use ***")
    })
  })
}

test('a check whose secrets are of another unit, or damaged, ends all the same, and adds nothing', () => {
  const cluster = sayingOfItself("frontend can't use planted-variable")
  return onStage({ cluster }, async scene => {
    await putSecret(scene, 'variables', { token: 'planted-variable' })
    await scene.push('1', { 'a.yaml': configMap('frontend', '${token}') })
    await scene.kustomize('app', { wait: true, timeout: '1m', ...ofSecret('variables') })
    const { metadata } = (await scene.read('app'))!
    const ref = {
      group: 'health-check.unfinished.kustomize.toolkit.fluxcd.io',
      kind: 'Kustomization',
      name: metadata.uid!,
    }
    const { objects } = scene.platform
    const check = (await objects.get({ ...ref, namespace: 'default' }))!
    const body = JSON.parse(check.body)
    assert.ok(!check.body.includes('planted'))
    const forged = JSON.stringify({ ...body, secrets: Buffer.from('forged').toString('base64') })
    await objects.commit({ op: 'update', ref: check.ref, body: forged, refersTo: [], expect: check.version })
    await requireMasked(scene, "frontend can't use ***")
  })
})

/** A minute later the check gives up, and says why without what was planted. */
const requireMasked = async (scene: Scene, quoted: string): Promise<void> => {
  assert.match((await said(scene)).ready, /Ready=Unknown Progressing/)
  await scene.advance(62_000)
  const { ready, all } = await said(scene)
  assert.match(ready, /HealthCheckFailed: /)
  assert.ok(ready.includes(`accessor error: ${quoted} is of the type string`), ready)
  assert.deepEqual(
    all.filter(text => /planted/i.test(text)),
    [],
  )
}
