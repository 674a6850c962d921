import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type KeyServices, recoverDataKey, remembering } from '../../../../lib/engines/sops/data-key.ts'
import type { MasterKey } from '../../../../lib/engines/sops/master-key.ts'
import { SopsError } from '../../../../lib/engines/sops/sops-error.ts'

const age = (recipient: string): MasterKey => ({ type: 'age', recipient, encrypted: recipient })
const dataKey = Buffer.from('a data key of thirty-two bytes!!')

/** Opens what is encrypted for these names. */
const opening = (...names: string[]) => {
  const asked: string[] = []
  const services: KeyServices = {
    age: async ({ encrypted }) => {
      asked.push(encrypted)
      if (names.includes(encrypted)) return dataKey
      throw new Error(`it is not for ${encrypted}`)
    },
  }
  return { services, asked }
}

const failure = async (groups: readonly (readonly MasterKey[])[], services: KeyServices = {}, shamirThreshold = 0) => {
  try {
    await recoverDataKey({ keyGroups: groups, shamirThreshold }, services)
  } catch (error) {
    assert.ok(error instanceof SopsError && error.code === 'data-key', String(error))
    return error.message
  }
  return assert.fail('it was opened')
}

const head = 'Failed to get the data key required to decrypt the SOPS file.\n\n'
const noKey =
  '\n\nRecovery failed because no master key was able to decrypt the file. In\norder for SOPS to recover the file, at least one key has to be successful,\nbut none were.'

test('any key of the only group opens it, in their order, and no more than necessary are used', async () => {
  const { services, asked } = opening('b', 'c')
  const metadata = { keyGroups: [[age('a'), age('b'), age('c')]], shamirThreshold: 0 }
  assert.deepEqual(await recoverDataKey(metadata, services), dataKey)
  assert.deepEqual(asked, ['a', 'b'])
  // sops notes a threshold with one group, too, which means nothing.
  assert.deepEqual(await recoverDataKey({ ...metadata, shamirThreshold: 2 }, services), dataKey)
})

test('names every key that was tried, and what came of it, as sops lays it out', async () => {
  assert.equal(
    await failure([[age('a'), age('b')]], opening().services),
    `${head}Group 0: FAILED\n  a: FAILED\n    - | it is not for a\n  \n  b: FAILED\n    - | it is not for b${noKey}`,
  )
})

test('breaks long reasons between words, and long words not at all', async () => {
  const services: KeyServices = {
    age: async () => {
      const lines = [`${'x'.repeat(29)} ${'y'.repeat(30)} z`, `${'x'.repeat(30)} ${'y'.repeat(30)}`, 'w'.repeat(70)]
      throw new Error(lines.join('\n'))
    },
  }
  const reason = [
    `    - | ${'x'.repeat(29)} ${'y'.repeat(30)}`,
    '      | z',
    `      | ${'x'.repeat(30)}`,
    `      | ${'y'.repeat(30)}`,
    `      | ${'w'.repeat(70)}`,
  ]
  assert.equal(
    await failure([[age('a')]], services),
    `${head}Group 0: FAILED\n  a: FAILED\n${reason.join('\n')}${noKey}`,
  )
})

test('shows twenty keys of a group at most', async () => {
  const shown = async (count: number) =>
    (await failure([Array.from({ length: count }, (_, index) => age(`key${index}`))]))
      .slice(head.length, -noKey.length)
      .split('\n  \n')
  assert.equal((await shown(20)).length, 20)
  const [first, ...others] = await shown(22)
  assert.equal(first, 'Group 0: FAILED\n  key0: FAILED\n    - | no age identity is configured')
  assert.equal(others.length, 20)
  assert.equal(others.at(-1), '  and 2 more keys')
})

test('reports the names of keys, and what each needs', async () => {
  const encrypted = 'x'
  const keys: MasterKey[] = [
    age('age1x'),
    { type: 'pgp', fingerprint: 'F1', encrypted },
    { type: 'kms', arn: 'arn:aws:kms:a:1:key/k', context: {}, encrypted },
    { type: 'kms', arn: 'arn:aws:kms:a:1:key/k', role: 'arn:aws:iam::1:role/r', context: {}, encrypted },
    { type: 'gcp_kms', resourceId: 'projects/p/locations/l/keyRings/r/cryptoKeys/k', encrypted },
    { type: 'azure_kv', vaultUrl: 'https://v.example', name: 'n', version: '1', encrypted },
    { type: 'hc_vault', address: 'https://vault.example', enginePath: 'transit', keyName: 'k', encrypted },
    { type: 'hckms', keyId: 'region:k', encrypted },
  ]
  const report = (await failure([keys])).slice(head.length, -noKey.length).replaceAll(': FAILED\n    - | ', ' -> ')
  assert.deepEqual(report.split(/\n(?: {2}\n)?/), [
    'Group 0: FAILED',
    '  age1x -> no age identity is configured',
    '  F1 -> no OpenPGP key is configured',
    '  arn:aws:kms:a:1:key/k -> no access to AWS KMS is configured',
    '  arn:aws:kms:a:1:key/k+arn:aws:iam::1:role/r -> no access to AWS KMS is configured',
    '  projects/p/locations/l/keyRings/r/cryptoKeys/k -> no access to GCP KMS is configured',
    '  https://v.example/keys/n/1 -> no access to Azure Key Vault is configured',
    '  https://vault.example/v1/transit/keys/k -> no access to Vault is configured',
    '  region:k -> no access to Huawei Cloud KMS is configured',
  ])
})

test('of several groups as many must open as the threshold says, or all of them', async () => {
  const { services } = opening('a', 'c')
  const groups = [[age('a')], [age('b')], [age('c')]]
  assert.equal(
    await failure(groups, services, 3),
    `${head}Group 0: SUCCESS\n\nGroup 1: FAILED\n  b: FAILED\n    - | it is not for b\n\nGroup 2: SUCCESS\n\n` +
      'Recovery failed because the file was encrypted with a Shamir threshold of\n3, but only 2 part(s) were successfully recovered, one for each successful\nkey group. In order for SOPS to recover the file, at least 3 groups have to\nbe successful. In order for a group to be successful, decryption has to\nsucceed with any of the keys in that key group.',
  )
  assert.match(await failure(groups, services), /at least one key has to be successful/)
  // Two are enough to try, and these two are no shares of one secret.
  assert.equal(await failure(groups, services, 2), 'could not get data key from shamir parts: duplicate part detected')
})

test('a data key of another length is refused', async () => {
  assert.equal(
    await failure([[age('a')]], { age: async () => dataKey.subarray(1) }),
    'the data key has 31 bytes, not 32',
  )
})

test('aborts instead of trying the next key', async () => {
  const stop = new AbortController()
  const asked: string[] = []
  const services: KeyServices = {
    age: async ({ encrypted }, signal) => {
      assert.equal(signal, stop.signal)
      asked.push(encrypted)
      stop.abort(new Error('told to stop'))
      throw new Error('some failure')
    },
  }
  const metadata = { keyGroups: [[age('a'), age('b')]], shamirThreshold: 0 }
  await assert.rejects(recoverDataKey(metadata, services, stop.signal), { message: 'told to stop' })
  assert.deepEqual(asked, ['a'])
})

test('files that share an encrypted key have it opened once', async () => {
  const { services, asked } = opening('a', 'b')
  const known = remembering(services)
  for (const name of ['a', 'b', 'a'])
    assert.deepEqual(await recoverDataKey({ keyGroups: [[age(name)]], shamirThreshold: 0 }, known), dataKey)
  assert.deepEqual(asked, ['a', 'b'])
})
