import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateHybridIdentity, identityToRecipient } from 'age-encryption'
import { generateKey } from 'openpgp'
import { ageLock, encryptSopsYaml, pgpLock } from '../../../../bed/encrypt-sops.ts'
import { onStage } from '../scene.ts'
import { ageKey, decryptedWith, putSecret, regex, secretManifest, secretTexts } from './decryption-scene.ts'

const withReconciling = (revision: string) => (ready: string) => [
  `Reconciling=True ProgressingWithRetry: Building manifests for revision main@sha1:${revision} with a timeout of 9m30s`,
  ready,
]

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
