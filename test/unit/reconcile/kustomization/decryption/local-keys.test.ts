import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateHybridIdentity, identityToRecipient } from 'age-encryption'
import { generateKey } from 'openpgp'
import { ageService } from '../../../../../lib/engines/sops/keys/age-identities.ts'
import { emitJson } from '../../../../../lib/engines/yaml/emit-json.ts'
import type { KubernetesObject } from '../../../../../lib/foundations/kinds/object.ts'
import { decryptManifest } from '../../../../../lib/reconcile/kustomization/decryption/decrypted-manifests.ts'
import { ageLock, encryptSops, encryptSopsYaml, pgpLock } from '../../../../bed/encrypt-sops.ts'
import { onStage } from '../scene.ts'
import { ageKey, decryptedWith, putSecret, regex, secretManifest, secretTexts } from './decryption-scene.ts'

test('KS-235 KS-236 KS-246 decrypts a Secret with any of several age identities of the key Secret', async () => {
  const [mine, other] = [await ageKey(), await ageKey()]
  const text = await encryptSopsYaml(secretManifest('s', { password: 'hush' }), {
    locks: [ageLock(mine.recipient)],
    encryptedRegex: regex,
  })
  await onStage({}, async scene => {
    await putSecret(scene, 'keys', { 'all.agekey': `# made by age-keygen\n${other.identity}\n${mine.identity}\n` })
    await scene.push('1', { 's.yaml': text })
    await scene.kustomize('app', decryptedWith('keys'))
    assert.deepEqual(await scene.conditions('app'), [
      'Ready=True ReconciliationSucceeded: Applied revision: main@sha1:1',
    ])
    assert.deepEqual(await secretTexts(scene, 's'), { password: 'hush' })
  })
})

test('KS-234 takes no provider but sops', async () => {
  await onStage({}, async scene => {
    const refused = (decryption: object) =>
      assert.rejects(scene.kustomize('app', { decryption } as never), /spec\.decryption\.provider/)
    await refused({})
    await refused({ provider: 'vault' })
  })
})

test('KS-237 decrypts with an OpenPGP key', async () => {
  const { privateKey, publicKey } = await generateKey({ userIDs: [{ name: 'flux' }], format: 'armored' })
  const text = await encryptSopsYaml(secretManifest('s', { password: 'hush' }), {
    locks: [pgpLock(publicKey)],
    encryptedRegex: regex,
  })
  await onStage({}, async scene => {
    await putSecret(scene, 'keys', { 'team.asc': privateKey })
    await scene.push('1', { 's.yaml': text })
    await scene.kustomize('app', decryptedWith('keys'))
    assert.deepEqual(await secretTexts(scene, 's'), { password: 'hush' })
  })
})

test('KS-237 refuses an OpenPGP key with a passphrase, without a word of it', async () => {
  const { privateKey } = await generateKey({ userIDs: [{ name: 'flux' }], format: 'armored', passphrase: 'p' })
  await onStage({}, async scene => {
    await putSecret(scene, 'keys', { 'team.asc': privateKey })
    await scene.push('1', {})
    await scene.kustomize('app', decryptedWith('keys'))
    const message =
      "failed to import 'team.asc' data from sops decryption Secret 'default/keys': the OpenPGP key is protected by a passphrase"
    assert.deepEqual(
      await scene.conditions('app'),
      [`Ready=False BuildFailed: ${message}`].flatMap(withReconciling('1')),
    )
  })
})

test('KS-261 decrypts for post-quantum recipients', async () => {
  const identity = await generateHybridIdentity()
  const locks = [ageLock(await identityToRecipient(identity))]
  const text = await encryptSopsYaml(secretManifest('s', { k: 'v' }), { locks, encryptedRegex: regex })
  await onStage({}, async scene => {
    await putSecret(scene, 'keys', { 'pq.agekey': identity })
    await scene.push('1', { 's.yaml': text })
    await scene.kustomize('app', decryptedWith('keys'))
    assert.deepEqual(await secretTexts(scene, 's'), { k: 'v' })
  })
})

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

test('KS-250 KS-271 decrypts with whichever recipient fits, and names all when none does', async () => {
  const [mine, other] = [await ageKey(), await ageKey()]
  const both = { locks: [ageLock(other.recipient), ageLock(mine.recipient)], encryptedRegex: regex }
  const foreign = { locks: [ageLock(other.recipient)], encryptedRegex: regex }
  await onStage({}, async scene => {
    await putSecret(scene, 'keys', { 'a.agekey': mine.identity })
    await scene.push('1', { 's.yaml': await encryptSopsYaml(secretManifest('s', { k: 'v' }), both) })
    await scene.kustomize('app', decryptedWith('keys'))
    assert.deepEqual(await secretTexts(scene, 's'), { k: 'v' })

    await scene.push('2', { 's.yaml': await encryptSopsYaml(secretManifest('s', { k: 'w' }), foreign) })
    const [message = ''] = (await scene.conditions('app')).filter(line => line.startsWith('Ready=False'))
    const expected = [
      "Ready=False BuildFailed: decryption failed for 'Secret.v1.[noGrp]/s': failed to decrypt and format 'default/s' Secret data: cannot get sops data key: Failed to get the data key required to decrypt the SOPS file.",
      '',
      'Group 0: FAILED',
      `  ${other.recipient}: FAILED`,
      '    - | failed to create reader for decrypting sops data key with',
      '      | age: identity did not match any of the recipients: incorrect',
      '      | identity for recipient block',
      '',
      'Recovery failed because no master key was able to decrypt the file. In',
      'order for SOPS to recover the file, at least one key has to be successful,',
      'but none were.',
    ]
    assert.equal(message, expected.join('\n'))
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

test('KS-253 leaves an object encrypted that asks for it', async () => {
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

test('KS-257 no message, event or stored blob holds what was decrypted', async () => {
  const { identity, recipient } = await ageKey()
  const text = await encryptSopsYaml(secretManifest('s', { password: 'correct-horse' }), {
    locks: [ageLock(recipient)],
    encryptedRegex: regex,
  })
  await onStage({}, async scene => {
    await putSecret(scene, 'keys', { 'a.agekey': identity })
    await scene.push('1', { 's.yaml': text })
    await scene.kustomize('app', decryptedWith('keys'))
    assert.deepEqual(await secretTexts(scene, 's'), { password: 'correct-horse' })
    const secrets = ['correct-horse', Buffer.from('correct-horse').toString('base64'), identity]
    const { items: events } = await scene.hub.list({ group: '', kind: 'Event' })
    const said = JSON.stringify([await scene.read('app'), events])
    for (const secret of secrets) assert.ok(!said.includes(secret))
    for await (const { name } of scene.platform.artifacts.list('')) {
      const blob = Buffer.from((await scene.platform.artifacts.get(name))!)
      for (const secret of secrets) assert.ok(!blob.includes(secret), `${name} holds it in the clear`)
    }
  })
})

test('a build made with one key is never given to who lacks it', async () => {
  const [mine, other] = [await ageKey(), await ageKey()]
  const text = await encryptSopsYaml(secretManifest('s', { k: 'v' }), {
    locks: [ageLock(mine.recipient)],
    encryptedRegex: regex,
  })
  await onStage({}, async scene => {
    await putSecret(scene, 'keys', { 'a.agekey': mine.identity })
    await putSecret(scene, 'others', { 'a.agekey': other.identity })
    await scene.push('1', { 's.yaml': text })
    await scene.kustomize('app', decryptedWith('keys'))
    await scene.kustomize('thief', decryptedWith('others'))
    assert.match((await scene.conditions('thief')).join(), /Ready=False BuildFailed: decryption failed/)
  })
})

test('KS-270 the default age Secret decrypts where the object names none, and lends nothing else', async () => {
  const [global, own] = [await ageKey(), await ageKey()]
  const text = await encryptSopsYaml(secretManifest('s', { k: 'v' }), {
    locks: [ageLock(global.recipient)],
    encryptedRegex: regex,
  })
  const settings = { sopsAgeSecret: { namespace: 'keelson-system', name: 'age' } }
  await onStage({ settings }, async scene => {
    await scene.hub.create(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'keelson-system' } },
      { fieldManager: 'x' },
    )
    await putSecret(scene, 'age', { 'a.agekey': global.identity, 'sops.aws-kms': 'not even read' }, 'keelson-system')
    await putSecret(scene, 'own', { 'a.agekey': own.identity })
    await scene.push('1', { 's.yaml': text })
    await scene.kustomize('app', { decryption: { provider: 'sops' } })
    assert.deepEqual(await secretTexts(scene, 's'), { k: 'v' })
    await scene.kustomize('other', decryptedWith('own'))
    assert.match((await scene.conditions('other')).join(), /cannot get sops data key/)
  })
})

test('a missing key Secret is named, in the words of Flux', async () => {
  await onStage({}, async scene => {
    await scene.push('1', {})
    await scene.kustomize('app', decryptedWith('keys'))
    assert.deepEqual(
      await scene.conditions('app'),
      ['Ready=False BuildFailed: secrets "keys" not found'].flatMap(withReconciling('1')),
    )
  })
})

test('a path that leads out of the source is refused', async () => {
  await onStage({}, async scene => {
    await putSecret(scene, 'keys', {})
    await scene.push('1', { 'kustomization.yaml': 'secretGenerator: [{name: s, files: [../../etc/passwd]}]\n' })
    await scene.kustomize('app', decryptedWith('keys'))
    assert.match((await scene.conditions('app')).join(), /path '\.\.\/\.\.\/etc\/passwd' in '\.' is outside the source/)
  })
})

const withReconciling = (revision: string) => (ready: string) => [
  `Reconciling=True ProgressingWithRetry: Building manifests for revision main@sha1:${revision} with a timeout of 9m30s`,
  ready,
]

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
