import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pushManifest } from '../../bed/push-image.ts'
import { needsSigners, signers } from '../../bed/signers-binary.ts'
import { endWithTest } from '../../bed/teardown.ts'
import { disposableDir } from '../../bed/temp-dir.ts'
import { filesLayer, minute, openOciWorld, openRegistry } from './oci-world.ts'

const skip = needsSigners()
const password = { COSIGN_PASSWORD: '' }

/** A pair of keys that cosign made. */
const keyPair = async () => {
  const prefix = join(endWithTest(disposableDir()).path, 'cosign')
  await signers(['cosign', 'generate-key-pair', '--output-key-prefix', prefix], password)
  return { key: `${prefix}.key`, pub: readFileSync(`${prefix}.pub`, 'utf8') }
}

type Forms = 'bundle' | 'attached'

const sign = async (form: Forms, key: string, host: string, name: string, digest: string) => {
  const forms = { bundle: ['--new-bundle-format=true'], attached: ['--new-bundle-format=false'] }
  const offline = ['--tlog-upload=false', '--use-signing-config=false', '--yes', '--allow-http-registry']
  await signers(['cosign', 'sign', '--key', key, ...offline, ...forms[form], `${host}/${name}@${digest}`], password)
}

const openSigned = async () => {
  const registry = await openRegistry()
  const world = await openOciWorld()
  const push = (name: string, content: string, tag = 'latest') =>
    registry.push({ layers: [filesLayer({ 'a.yaml': content })] }, name, tag)
  return {
    ...world,
    registry,
    push,
    async verdict(name: string, keys: Readonly<Record<string, string>>, secret = name) {
      await world.create('Secret', secret, { stringData: keys })
      await world.applies(secret, {
        url: registry.url(name),
        verify: { provider: 'cosign', secretRef: { name: secret } },
      })
      const conditions = await world.conditions(secret)
      return conditions.find(line => line.startsWith('SourceVerified')) ?? conditions.join()
    },
  }
}

for (const form of ['bundle', 'attached'] as const) {
  test(
    `OC-065 OC-066 OC-071 OC-072: cosign's signature (${form}) by one of the keys is good, others are not`,
    skip,
    async () => {
      const world = await openSigned()
      const { host } = world.registry.server
      const [ours, theirs] = [await keyPair(), await keyPair()]
      const digest = await world.push('app', '1')
      await sign(form, ours.key, host, 'app', digest)
      const good = `SourceVerified=True Succeeded: verified signature of revision latest@${digest}`
      const bad = `SourceVerified=False VerificationError: failed to verify the signature using provider 'cosign': no matching signatures were found for '${host}/app@${digest}'`
      assert.equal(await world.verdict('app', { 'a.pub': theirs.pub, 'b.pub': ours.pub }, 'both'), good)
      assert.deepEqual(await world.files('both'), { 'a.yaml': '1' })
      assert.equal(await world.verdict('app', { 'a.pub': theirs.pub }, 'theirs'), bad)
      assert.equal((await world.statusOf('theirs'))!.artifact, undefined)
      assert.equal(await world.verdict('app', { 'a.pub': theirs.pub, ours: ours.pub }, 'unnamed'), bad)
    },
  )

  test(`a signature (${form}) of something else does not help what is pushed under the same tag`, skip, async () => {
    const world = await openSigned()
    const { host } = world.registry.server
    const { key, pub } = await keyPair()
    const first = await world.push('app', '1')
    await sign(form, key, host, 'app', first)
    assert.match(await world.verdict('app', { 'a.pub': pub }), /=True/)
    const before = (await world.statusOf('app'))!.artifact
    const second = await world.push('app', '2')
    // The old signature is where that of the new image would be looked for.
    const tagged = first.replace(':', '-') + (form === 'attached' ? '.sig' : '')
    const [old, fake] = [tagged, second.replace(':', '-') + (form === 'attached' ? '.sig' : '')]
    const answer = await fetch(`${world.registry.server.directOrigin}/v2/app/manifests/${old}`, {
      headers: { accept: 'application/vnd.oci.image.manifest.v1+json,application/vnd.oci.image.index.v1+json' },
    })
    assert.equal(answer.status, 200)
    await pushManifest(await answer.text(), answer.headers.get('content-type')!, world.registry.target('app', fake))
    await world.advance(11 * minute)
    assert.match((await world.conditions('app')).join(), /SourceVerified=False VerificationError/)
    assert.deepEqual((await world.statusOf('app'))!.artifact, before)
    await sign(form, key, host, 'app', second)
    await world.advance(11 * minute)
    assert.match((await world.conditions('app')).join(), /SourceVerified=True/)
    assert.deepEqual(await world.files('app'), { 'a.yaml': '2' })
  })
}

test('OC-073: another key in the spec verifies the stored artifact again', skip, async () => {
  const world = await openSigned()
  const { host } = world.registry.server
  const [ours, theirs] = [await keyPair(), await keyPair()]
  await sign('bundle', ours.key, host, 'app', await world.push('app', '1'))
  assert.match(await world.verdict('app', { 'a.pub': ours.pub }), /=True/)
  await world.create('Secret', 'other', { stringData: { 'a.pub': theirs.pub } })
  await world.applies('app', {
    url: world.registry.url('app'),
    verify: { provider: 'cosign', secretRef: { name: 'other' } },
  })
  assert.match((await world.conditions('app')).join(), /SourceVerified=False VerificationError/)
})
