/** A hub that is taken over: what its orders can do at a runner that demands signatures, and what it learns of what the runner decrypts. Real hub, runner, cluster and git. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import type { Kustomization } from '../../lib/foundations/kinds/kustomization.ts'
import { conditionOf } from '../../lib/foundations/rules/conditions.ts'
import { awsEmulator } from '../bed/aws/emulator.ts'
import { type KmsKey, kmsKey } from '../bed/aws/kms-key.ts'
import { cluster } from '../bed/cluster.ts'
import { command } from '../bed/command.ts'
import { ageLock, encryptSopsYaml } from '../bed/encrypt-sops.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository, fleetUnit } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { type Hub, hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'
import { joinToken, runner } from '../bed/runner.ts'
import { endWithTest } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'

const config = (color: string): string => `apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: default}
data: {color: ${color}}
`

const password = 'correct-horse-8c1f'
/** The API server refuses it, and quotes it. */
const label = 'no label: battery-staple-8c1f'

/** A Secret, and with `refused` a ConfigMap that can't be applied: encrypted for a runner. */
const encrypted = async (recipient: string, refused = false): Promise<Record<string, string>> => {
  const options = { locks: [ageLock(recipient)], encryptedRegex: '^(stringData|labels)$' }
  const metadata = { name: 's', namespace: 'default' }
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { password } }
  const quoted = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...metadata, labels: { team: label } } }
  return {
    's.yaml': await encryptSopsYaml(secret, options),
    ...(refused && { 'refused.yaml': await encryptSopsYaml(quoted, options) }),
  }
}

/** A Secret that KMS decrypts, for those with an identity there. */
const encryptedByKms = async ({ lock }: KmsKey): Promise<Record<string, string>> => {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'k', namespace: 'default' },
    stringData: { password },
  }
  return {
    'k.yaml': await encryptSopsYaml(secret, { locks: [lock({ fleet: 'ships' })], encryptedRegex: '^stringData$' }),
  }
}

/** All that users can read of a hub, and what is in its files. */
const everythingOf = async (on: Hub): Promise<string> => {
  const kinds = (await on.kubectl('api-resources', '--verbs=list', '-o', 'name')).trim().split('\n')
  const files = readdirSync(on.dataDirectory, { recursive: true, withFileTypes: true })
    .filter(file => file.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
  return [await on.kubectl('get', kinds.join(','), '-A', '-o', 'json'), ...files].join('\n')
}

test('a runner that demands signatures applies what its author has signed, decrypted with a key that stays there, and neither an older revision nor what a hub adds', async () => {
  const root = endWithTest(disposableDir())
  const [keyFile, publicFile] = [join(root.path, 'author.key'), join(root.path, 'author.pub')]
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(publicFile, publicKey.export({ type: 'spki', format: 'pem' }))
  /** The files of a source with their signature. */
  const signed = async (files: Readonly<Record<string, string>>): Promise<Record<string, string>> => {
    const folder = disposableDir()
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder.path, path)), { recursive: true })
      writeFileSync(join(folder.path, path), content)
    }
    await command(process.execPath, [program, 'sign', folder.path, '--name', 'fleet', '--key', keyFile])
    const read = (name: string) => readFileSync(join(folder.path, name), 'utf8')
    const all = { ...files, SHA256SUMS: read('SHA256SUMS'), 'SHA256SUMS.sig': read('SHA256SUMS.sig') }
    await folder[Symbol.asyncDispose]()
    return all
  }
  const [target, repo, on, emulator] = await Promise.all([
    cluster(),
    gitRepo({ 'a.yaml': config('unsigned') }),
    hub(),
    awsEmulator({ auth: true }),
  ])
  const joining = await joinToken(on, 'aurora')
  await on.apply(
    fleetRepository(repo) +
      fleetUnit('aurora', '  decryption: {provider: sops}\n').replace('secretRef', 'configMapRef'),
  )
  const identity = await generateX25519Identity()
  const recipient = await identityToRecipient(identity)
  const keys = join(root.path, 'keys')
  mkdirSync(keys)
  const flags = [
    ...['--verify-key', publicFile, '--decryption-keys', keys, '--log-level', 'info'],
    ...['--allow-addresses', '127.0.0.0/8'], // where KMS is
  ]
  // The identity at a cloud is that of the runner's machine: the hub has none.
  const env = { ...process.env, ...emulator.env, NODE_EXTRA_CA_CERTS: emulator.certificateFile }
  const it = runner(on, target, { cluster: 'default/aurora', joinToken: joining, flags, env })
  let requests = 0
  const fetched = () =>
    on.kubectl('annotate', '--overwrite', 'gitrepository', 'fleet', `reconcile.fluxcd.io/requestedAt=${++requests}`)
  const says = (status: string, message: RegExp) =>
    eventually(async () => {
      const found = await on.get<Kustomization>('kustomization', 'app')
      const ready = conditionOf(found.status?.conditions, 'Ready')
      assert.equal(ready?.status, status, ready?.message)
      assert.match(ready.message, message)
    })
  const colors = async (): Promise<readonly string[]> => {
    const { items } = await target.get<{ items: readonly { data: Record<string, string> }[] }>(
      ...['configmap', '--field-selector', 'metadata.name=a'],
    )
    return items.map(({ data }) => data.color!)
  }
  const passwordThere = (name = 's') =>
    target.kubectl('get', 'secret', name, '-o', 'go-template={{.data.password | base64decode}}')
  try {
    await says('False', /the source has no SHA256SUMS/)
    assert.deepEqual(await colors(), [])

    const ofKms = await encryptedByKms(await kmsKey(emulator))
    const sealed = { ...ofKms, ...(await encrypted(recipient)) }
    const blue = await signed({ 'a.yaml': config('blue'), ...sealed })
    await repo.push(blue)
    await fetched()
    await says('False', /decryption failed for 'Secret\.v1\.\[noGrp\]\/s': .*cannot get sops data key/)
    assert.deepEqual(await colors(), [])
    writeFileSync(join(keys, 'aurora.agekey'), identity)
    await says('True', /^Applied revision/)
    assert.deepEqual(await colors(), ['blue'])
    assert.deepEqual([await passwordThere(), await passwordThere('k')], [password, password])

    const green = await signed({ 'a.yaml': config('green'), ...sealed })
    await repo.push(green)
    await fetched()
    await eventually(async () => assert.deepEqual(await colors(), ['green']))

    await repo.push(blue)
    await fetched()
    await says('False', /artifact/i)
    assert.deepEqual(await colors(), ['green'])
    await repo.push({ ...green, 'a.yaml': config('forged') })
    await fetched()
    await says('False', /another a\.yaml than SHA256SUMS lists/)
    await repo.push(green)
    await fetched()
    await says('True', /^Applied revision/)

    // Drift of the Secret, and a refusal that quotes what was decrypted: neither shows the hub a value.
    await target.kubectl('patch', 'secret', 's', '--type=merge', '-p', '{"stringData":{"password":"battery-staple"}}')
    const refused = { ...ofKms, ...(await encrypted(recipient, true)) }
    await repo.push(await signed({ 'a.yaml': config('green'), ...refused }))
    await fetched()
    await says('False', /ConfigMap\/default\/s dry-run failed.*Invalid value: "?\*\*\*/s)
    await repo.push({ 'refused.yaml': null, ...(await signed({ 'a.yaml': config('green'), ...sealed })) })
    await fetched()
    await says('True', /^Applied revision/)
    assert.equal(await passwordThere(), password)
    const all = await everythingOf(on)
    for (const known of ['default_s__Secret', '"data.password"', 'dry-run failed'])
      assert.ok(all.includes(known), known)
    for (const secret of [password, label, 'battery-staple', identity])
      for (const form of [secret, Buffer.from(secret).toString('base64')]) assert.ok(!all.includes(form), secret)

    // What was undone is an older revision. Its author reverts and signs.
    await command(process.execPath, [
      program,
      'undo',
      'kustomization/app',
      '-n',
      'default',
      '--kubeconfig',
      on.kubeconfig,
    ])
    await says('False', /the runner demands signatures, and an undo can't be signed/)
    assert.deepEqual(await colors(), ['green'])
    await command(process.execPath, [
      program,
      'resume',
      'kustomization/app',
      '-n',
      'default',
      '--kubeconfig',
      on.kubeconfig,
    ])
    await says('True', /^Applied revision/)

    const patch = { patch: '[{op: replace, path: /data/color, value: forged}]', target: { kind: 'ConfigMap' } }
    await on.kubectl(
      'patch',
      'kustomization',
      'app',
      '--type=merge',
      '-p',
      JSON.stringify({ spec: { patches: [patch] } }),
    )
    await says('False', /the runner demands signatures, and spec\.patches can't be signed/)
    assert.deepEqual(await colors(), ['green'])
  } catch (error) {
    throw Object.assign(error as Error, { message: `${(error as Error).message}\nthe runner said:\n${it.said()}` })
  }
})
