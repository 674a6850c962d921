/** Keys that lie with a runner: the hub never has them. */
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ownKeysIn } from '../../../../../lib/compose/own-keys.ts'
import { sha256Digest } from '../../../../../lib/foundations/rules/sha256.ts'
import { localKeysOnly } from '../../../../../lib/reconcile/kustomization/decryption/decryption.ts'
import { ageLock, encryptSopsYaml } from '../../../../bed/encrypt-sops.ts'
import { disposableDir } from '../../../../bed/temp-dir.ts'
import { onStage } from '../scene.ts'
import { ageKey, decryptedWith, putSecret, regex, secretManifest, secretTexts } from './decryption-scene.ts'
import { decrypted, refused, withKeyServers } from './key-servers.ts'

const sops = { decryption: { provider: 'sops' as const } }

/** As a runner of a Cluster in this namespace has them. */
const keysIn = (directory: string, namespace = 'default', digestKey = 'of-the-runner') => ({
  ...localKeysOnly({ now: () => Date.now() }),
  ownKeys: ownKeysIn({ directory, namespace, digestKey }),
})

const encryptedFor = (recipient: string, manifest = secretManifest('s', { password: 'correct-horse' })) =>
  encryptSopsYaml(manifest, { locks: [ageLock(recipient)], encryptedRegex: regex })

test('a key in the directory decrypts for a unit that names no Secret, from its next build on, and a missing one is reported as in Flux', async () => {
  await using root = disposableDir()
  const { identity, recipient } = await ageKey()
  await onStage({ cloudKeys: keysIn(root.path) }, async scene => {
    await scene.push('1', { 's.yaml': await encryptedFor(recipient) })
    await scene.kustomize('app', sops)
    assert.match(
      (await scene.conditions('app')).join(),
      /Ready=False BuildFailed: decryption failed for 'Secret\.v1\.\[noGrp\]\/s': .*cannot get sops data key/,
    )
    // As the kubelet mounts a Secret: links to files of a folder that a new one replaces.
    mkdirSync(join(root.path, '..1'))
    writeFileSync(join(root.path, '..1', 'runner.agekey'), identity)
    symlinkSync('..1', join(root.path, '..data'))
    symlinkSync('..data/runner.agekey', join(root.path, 'runner.agekey'))
    writeFileSync(join(root.path, 'README'), 'not a key')
    await scene.push('2', { 's.yaml': await encryptedFor(recipient) })
    assert.deepEqual(await secretTexts(scene, 's'), { password: 'correct-horse' })

    rmSync(root.path, { recursive: true })
    await scene.push('3', { 's.yaml': await encryptedFor(recipient, secretManifest('s', { password: 'newer' })) })
    assert.match((await scene.conditions('app')).join(), /Ready=False BuildFailed: ENOENT.*scandir/)
    mkdirSync(root.path)
    writeFileSync(join(root.path, 'bad.agekey'), 'AGE-SECRET-KEY-HUSH')
    await scene.push('4', { 's.yaml': await encryptedFor(recipient) })
    const message = (await scene.conditions('app')).join()
    assert.match(message, /failed to import 'bad\.agekey' data from sops decryption directory '.*' of the runner: /)
    assert.doesNotMatch(message, /HUSH/)
  })
})

test('a unit that names a Secret decrypts with that alone, and one of another namespace with nothing', async () => {
  await using root = disposableDir()
  const [runners, own] = [await ageKey(), await ageKey()]
  writeFileSync(join(root.path, 'a.agekey'), runners.identity)
  await onStage({ cloudKeys: keysIn(root.path) }, async scene => {
    await putSecret(scene, 'own', { 'a.agekey': own.identity })
    await scene.push('1', { 's.yaml': await encryptedFor(runners.recipient) })
    await scene.kustomize('app', decryptedWith('own'))
    assert.match((await scene.conditions('app')).join(), /cannot get sops data key/)
    assert.equal(await secretTexts(scene, 's'), undefined)
  })
  await onStage({ cloudKeys: keysIn(root.path, 'ships') }, async scene => {
    await scene.push('1', { 's.yaml': await encryptedFor(runners.recipient) })
    await scene.kustomize('app', sops)
    assert.match((await scene.conditions('app')).join(), /cannot get sops data key/)
    assert.equal(await secretTexts(scene, 's'), undefined)
  })
})

test('the digest of what a runner decrypts, by whatever key, can not be used to guess a value; another one is as in Flux', async () => {
  await using root = disposableDir()
  const { identity } = await ageKey()
  writeFileSync(join(root.path, 'a.agekey'), identity)
  const manifest = 'apiVersion: v1\ndata:\n  value: same\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: default\n'
  const digestWith = async (digestKey: string, spec: object): Promise<string | undefined> => {
    let digest: string | undefined
    await onStage({ cloudKeys: keysIn(root.path, 'default', digestKey) }, async scene => {
      await putSecret(scene, 'keys', { 'a.agekey': identity })
      await scene.push('1', { 'a.yaml': manifest })
      await scene.kustomize('app', spec)
      digest = (await scene.read('app'))?.status?.history?.[0]?.digest
    })
    return digest
  }
  const asInFlux = sha256Digest(manifest)
  assert.equal(await digestWith('one', {}), asInFlux)
  const [one, again, other] = [
    await digestWith('one', sops),
    await digestWith('one', sops),
    await digestWith('two', sops),
  ]
  assert.match(one ?? '', /^sha256:[0-9a-f]{64}$/)
  assert.equal(again, one)
  assert.equal(await digestWith('one', decryptedWith('keys')), one)
  assert.equal(new Set([asInFlux, one, other]).size, 3)
})

test("Vault: the runner's token only goes where its operator said", async () => {
  await using root = disposableDir()
  writeFileSync(join(root.path, 'sops.vault-token'), 'hvs.team\n')
  const { ownKeys } = keysIn(root.path)
  await withKeyServers('vault', { ownKeys }, async (scene, { asked }) => {
    assert.match(
      await refused(scene),
      /sops\.vault-token is not sent to .*: it is neither VAULT_ADDR nor in SOPS_HC_VAULT_ALLOWLIST/,
    )
    assert.equal(asked.length, 0)
  })
  const environment = { SOPS_HC_VAULT_ALLOWLIST: 'all', VAULT_TOKEN: 'hvs.wrong-token' }
  await withKeyServers('vault', { ownKeys, environment }, scene => decrypted(scene))
})
