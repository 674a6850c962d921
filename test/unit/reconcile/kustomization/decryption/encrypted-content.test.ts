import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ageService } from '../../../../../lib/engines/sops/keys/age-identities.ts'
import { emitJson } from '../../../../../lib/engines/yaml/emit-json.ts'
import type { KubernetesObject } from '../../../../../lib/foundations/kinds/object.ts'
import { decryptManifest } from '../../../../../lib/reconcile/kustomization/decryption/decrypted-manifests.ts'
import { ageLock, encryptSops, encryptSopsYaml } from '../../../../bed/encrypt-sops.ts'
import { onStage } from '../scene.ts'
import { ageKey, decryptedWith, putSecret, regex, secretManifest, secretTexts } from './decryption-scene.ts'

/** Flat keys, as sops writes them into dotenv files. */
const encryptedDotenv = async (values: Readonly<Record<string, string>>, recipient: string): Promise<string> => {
  const { sops, ...encrypted } = await encryptSops({ ...values }, { locks: [ageLock(recipient)] })
  const { age, ...rest } = sops as { age: { enc: string; recipient: string }[] } & Record<string, string>
  const [key] = age
  const lines = {
    ...encrypted,
    sops_age__list_0__map_enc: key!.enc,
    sops_age__list_0__map_recipient: key!.recipient,
    ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [`sops_${name}`, value])),
  }
  return Object.entries(lines)
    .map(([name, value]) => `${name}=${String(value).replaceAll('\n', '\\n')}\n`)
    .join('')
}

test('KS-247 KS-249 decrypts ConfigMaps, and objects that are encrypted as a whole', async () => {
  const { identity, recipient } = await ageKey()
  const locks = [ageLock(recipient)]
  const configMap = { ...secretManifest('c', {}), kind: 'ConfigMap', data: { value: 'one' }, stringData: null }
  const { stringData: _, ...document } = configMap
  await onStage({}, async scene => {
    await putSecret(scene, 'keys', { 'a.agekey': identity })
    await scene.push('1', {
      'c.yaml': await encryptSopsYaml(document, { locks, encryptedRegex: '^data$' }),
      's.yaml': await encryptSopsYaml(secretManifest('s', { k: 'v' }), { locks }),
    })
    await scene.kustomize('app', decryptedWith('keys'))
    assert.deepEqual(await scene.values(), { c: 'one' })
    assert.deepEqual(await secretTexts(scene, 's'), { k: 'v' })
  })
})

test('KS-158 KS-248 decrypts generator inputs and patches of bases and components before the build', async () => {
  const { identity, recipient } = await ageKey()
  const locks = [ageLock(recipient)]
  const patch = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { value: 'patched' } }
  const dotenv = await encryptedDotenv({ TOKEN: 'from env' }, recipient)
  await onStage({}, async scene => {
    await putSecret(scene, 'keys', { 'a.agekey': identity })
    await scene.push('1', {
      'kustomization.yaml': 'resources: [base]\ncomponents: [component]\n',
      'base/kustomization.yaml':
        'resources: [c.yaml]\npatches: [{path: patch.yaml}]\nsecretGenerator: [{name: env, envs: [secret.env], options: {disableNameSuffixHash: true}}]\n',
      'base/c.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: default}\ndata: {value: plain}\n',
      'base/patch.yaml': await encryptSopsYaml(patch, { locks, encryptedRegex: '^data$' }),
      'base/secret.env': dotenv,
      'component/kustomization.yaml':
        'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nsecretGenerator: [{name: file, files: [config.json], options: {disableNameSuffixHash: true}}]\n',
      'component/config.json': `${JSON.stringify(await encryptSops({ user: 'me' }, { locks }), null, 1)}\n`,
    })
    await scene.kustomize('app', { ...decryptedWith('keys'), targetNamespace: 'default' })
    assert.deepEqual(await scene.conditions('app'), [
      'Ready=True ReconciliationSucceeded: Applied revision: main@sha1:1',
    ])
    assert.deepEqual(await scene.values(), { c: 'patched' })
    assert.deepEqual(await secretTexts(scene, 'env'), { TOKEN: 'from env' })
    assert.deepEqual(await secretTexts(scene, 'file'), { 'config.json': '{\n\t"user": "me"\n}\n' })
  })
})

test('KS-251 refuses a file whose plain part was changed, unless it was encrypted with mac-only-encrypted', async () => {
  const { identity, recipient } = await ageKey()
  const options = { locks: [ageLock(recipient)], encryptedRegex: regex }
  const renamed = (document: object) => ({ ...document, metadata: { name: 'other', namespace: 'default' } })
  const changed = await encryptSopsYaml(secretManifest('s', { k: 'v' }), { ...options, tamper: renamed })
  const loose = { ...options, macOnlyEncrypted: true, tamper: renamed }
  await onStage({}, async scene => {
    await putSecret(scene, 'keys', { 'a.agekey': identity })
    await scene.push('1', { 's.yaml': changed })
    await scene.kustomize('app', decryptedWith('keys'))
    assert.match(
      (await scene.conditions('app')).join('\n'),
      /Ready=False BuildFailed: s\.yaml: failed to verify sops data integrity: MAC mismatch: values were changed since it was encrypted/,
    )
    assert.equal(await secretTexts(scene, 'other'), undefined)

    await scene.push('2', { 's.yaml': await encryptSopsYaml(secretManifest('s', { k: 'v' }), loose) })
    assert.deepEqual(await secretTexts(scene, 'other'), { k: 'v' })
  })
  await onStage({ settings: { verifySopsMac: false } }, async scene => {
    await putSecret(scene, 'keys', { 'a.agekey': identity })
    await scene.push('1', { 's.yaml': changed })
    await scene.kustomize('app', decryptedWith('keys'))
    assert.deepEqual(await secretTexts(scene, 'other'), { k: 'v' })
  })
})

test('a build may change the plain part of what was encrypted', async () => {
  const { identity, recipient } = await ageKey()
  const text = await encryptSopsYaml(secretManifest('s', { k: 'v' }), {
    locks: [ageLock(recipient)],
    encryptedRegex: regex,
  })
  await onStage({}, async scene => {
    await putSecret(scene, 'keys', { 'a.agekey': identity })
    await scene.push('1', { 's.yaml': text })
    await scene.kustomize('app', { ...decryptedWith('keys'), namePrefix: 'my-' })
    assert.deepEqual(await secretTexts(scene, 'my-s'), { k: 'v' })
  })
})

test('KS-253 leaves an object encrypted that opts out', async () => {
  const { identity, recipient } = await ageKey()
  const annotations = { 'kustomize.toolkit.fluxcd.io/decrypt': 'Disabled' }
  const manifest = { ...secretManifest('s', { k: 'v' }), metadata: { name: 's', namespace: 'default', annotations } }
  const encrypted = await encryptSops(manifest, { locks: [ageLock(recipient)], encryptedRegex: regex })
  const object = encrypted as unknown as KubernetesObject
  const given = { object, yaml: emitJson(encrypted), origin: 's.yaml' }
  const services = { age: await ageService([identity]) }
  assert.equal(await decryptManifest(given, { services }), given)
  const wanted = { ...given, object: { ...object, metadata: { name: 's', namespace: 'default' } } }
  assert.deepEqual((await decryptManifest(wanted, { services })).object, secretManifest('s', { k: 'v' }))
})

test('KS-254 KS-255 KS-256 decrypts values of Secrets that are documents of sops, in the format of their key', async () => {
  const { identity, recipient } = await ageKey()
  const locks = [ageLock(recipient)]
  const encrypted = async (document: Parameters<typeof encryptSops>[0]) =>
    Buffer.from(JSON.stringify(await encryptSops(document, { locks }), null, 1)).toString('base64')
  const data = {
    '.dockerconfigjson': await encrypted({ auths: { 'r.example': { auth: 'x' } } }),
    'app.yaml': await encrypted({ a: 1, b: 'two' }),
    'app.env': await encrypted({ A: '1' }),
    'app.ini': await encrypted({ section: { A: 'b' } }),
    blob: await encrypted({ data: 'any bytes' }),
    plain: Buffer.from('as it is').toString('base64'),
  }
  const manifest = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'default' }, data }
  await onStage({}, async scene => {
    await putSecret(scene, 'keys', { 'a.agekey': identity })
    await scene.push('1', { 's.yaml': JSON.stringify(manifest) })
    await scene.kustomize('app', decryptedWith('keys'))
    assert.deepEqual(await scene.conditions('app'), [
      'Ready=True ReconciliationSucceeded: Applied revision: main@sha1:1',
    ])
    assert.deepEqual(await secretTexts(scene, 's'), {
      '.dockerconfigjson': '{\n\t"auths": {\n\t\t"r.example": {\n\t\t\t"auth": "x"\n\t\t}\n\t}\n}\n',
      'app.yaml': 'a: 1\nb: two\n',
      'app.env': 'A=1\n',
      'app.ini': '[section]\nA = b\n',
      blob: 'any bytes',
      plain: 'as it is',
    })
  })
})
