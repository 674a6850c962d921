/** A Run holds no value of a Secret, wherever the value comes from and wherever a build puts it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ageLock, encryptSopsYaml } from '../../../bed/encrypt-sops.ts'
import { ageKey, decryptedWith, putSecret } from './decryption/decryption-scene.ts'
import { configMap, onStage, type Scene } from './scene.ts'

/** The fields that the last Run changed, by object. */
const changedFields = async ({ runs }: Scene) => {
  const last = (await runs()).at(-1)
  return Object.fromEntries((last?.changes ?? []).map(({ name, fields }) => [name, fields]))
}

const leaksOf = async ({ runs }: Scene, values: readonly string[]): Promise<readonly string[]> => {
  const all = JSON.stringify(await runs())
  return values.filter(value => all.includes(value) || all.includes(Buffer.from(value).toString('base64')))
}

const hidden = (path: string) => ({ path, before: '***', after: '***' })

test('what SOPS encrypted stays hidden, in whatever kind it is, and what an encrypted patch may have touched', async () => {
  const { identity, recipient } = await ageKey()
  const locks = [ageLock(recipient)]
  const encrypted = (value: string) =>
    encryptSopsYaml(
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'whole', namespace: 'default' }, data: { value } },
      { locks, encryptedRegex: '^data$' },
    )
  const patch = (value: string) =>
    encryptSopsYaml(
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'patched', namespace: 'default' }, data: { value } },
      { locks, encryptedRegex: '^data$' },
    )
  await onStage({}, async scene => {
    await putSecret(scene, 'keys', { 'a.agekey': identity })
    const whole = async (secret: string, open: string) => ({
      'whole.yaml': await encrypted(secret),
      'open.yaml': configMap('open', open),
    })
    await scene.push('1', await whole('planted-one', 'blue'))
    await scene.kustomize('app', decryptedWith('keys'))
    await scene.push('2', await whole('planted-two', 'green'))
    assert.deepEqual(await changedFields(scene), {
      open: [{ path: 'data.value', before: 'blue', after: 'green' }],
      whole: [hidden('data.value')],
    })
    const patching = async (secret: string, open: string) => ({
      ...(await whole('planted-two', open)),
      'patched.yaml': configMap('patched', 'plain'),
      'patch.yaml': await patch(secret),
      'kustomization.yaml': 'resources: [whole.yaml, open.yaml, patched.yaml]\npatches: [{path: patch.yaml}]\n',
    })
    await scene.push('3', await patching('planted-three', 'green'))
    await scene.push('4', await patching('planted-four', 'red'))
    assert.deepEqual(await changedFields(scene), {
      open: [hidden('data.value')],
      patched: [hidden('data.value')],
    })
    assert.deepEqual(await leaksOf(scene, ['planted-one', 'planted-two', 'planted-three', 'planted-four']), [])
  })
})

test('what a variable takes from a Secret stays hidden, also when an expression has changed it', async () => {
  await onStage({}, async scene => {
    await putSecret(scene, 'old', { password: 'planted-old' })
    await putSecret(scene, 'new', { password: 'planted-new' })
    await scene.push('1', {
      'a.yaml': configMap('used', '${password:0:9}'),
      'b.yaml': configMap('open', '${color}'),
      'c.yaml': configMap('shouted', '${password^^}'),
    })
    const spec = (secret: string, color: string) => ({
      postBuild: { substituteFrom: [{ kind: 'Secret' as const, name: secret }], substitute: { color } },
    })
    await scene.kustomize('app', spec('old', 'blue'))
    const ref = { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'default', name: 'app' }
    const patch = { spec: spec('new', 'green') }
    await scene.hub.patch(ref, { type: 'merge', patch }, { fieldManager: 'someone' })
    await scene.settle()
    assert.deepEqual(await changedFields(scene), {
      open: [{ path: 'data.value', before: 'blue', after: 'green' }],
      shouted: [hidden('data.value')],
      used: [hidden('data.value')],
    })
    assert.deepEqual(await leaksOf(scene, ['planted-o', 'planted-n', 'PLANTED']), [])
  })
})

test('a value of a Secret in the build stays hidden in other objects and in refusals', async () => {
  const secret = (password: string): string =>
    `apiVersion: v1\nkind: Secret\nmetadata: {name: login, namespace: default}\nstringData: {password: ${password}}\n`
  const copy = `source: {kind: Secret, name: login, fieldPath: stringData.password}
targets: [{select: {kind: ConfigMap, name: copy}, fieldPaths: [data.value]}]
`
  const files = (password: string, more = '') => ({
    'login.yaml': secret(password),
    'copy.yaml': configMap('copy', 'none'),
    'copied.yaml': copy,
    'kustomization.yaml': `resources: [login.yaml, copy.yaml]\nreplacements: [{path: copied.yaml}]\n${more}`,
  })
  await onStage({}, async scene => {
    await scene.push('1', files('planted-one'))
    await scene.kustomize('app')
    await scene.push('2', files('planted-two'))
    assert.deepEqual(await changedFields(scene), { copy: [hidden('data.value')], login: [hidden('data.password')] })
    // A label that is none: the refusal quotes it.
    const label = 'labels: [{pairs: {stolen: "planted-three is no label"}}]\n'
    await scene.push('3', files('planted-three', label))
    const last = (await scene.runs()).at(-1)
    assert.equal(last?.result, 'Failed')
    assert.match(last?.errors?.[0]?.message ?? '', /\*\*\* is no label/)
    assert.deepEqual(await leaksOf(scene, ['planted-one', 'planted-two', 'planted-three']), [])
  })
})
