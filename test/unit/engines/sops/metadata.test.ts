import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEncrypted } from '../../../../lib/engines/sops/decrypt.ts'
import type { FormatName } from '../../../../lib/engines/sops/formats/format.ts'
import { SopsError } from '../../../../lib/engines/sops/sops-error.ts'

const age = { recipient: 'age1x', enc: 'A' }
const least = { age: [age], mac: 'M', lastmodified: '2026-01-02T03:04:05Z' }
const yaml = (sops: unknown): string => `a: 1\nsops: ${JSON.stringify(sops)}\n`
const read = (text: string, format: FormatName = 'yaml') => readEncrypted(Buffer.from(text), format)
const metadataOf = (more: object) => read(yaml({ ...least, ...more })).metadata

const problem = (text: string, format?: FormatName): string => {
  try {
    read(text, format)
  } catch (error) {
    assert.ok(error instanceof SopsError && error.name === 'SopsError', String(error))
    return `${error.code}: ${error.message}`
  }
  return assert.fail(`it was read: ${text}`)
}

test('reads what sops notes, and takes what is not noted as sops does', () => {
  assert.deepEqual(read(yaml(least)).metadata, {
    keyGroups: [[{ type: 'age', recipient: 'age1x', encrypted: 'A' }]],
    shamirThreshold: 0,
    mac: 'M',
    lastModified: '2026-01-02T03:04:05Z',
    macOnlyEncrypted: false,
    rule: { type: 'unencrypted_suffix', value: '_unencrypted' },
  })
  assert.deepEqual(
    read(`${yaml(least)}---\nb: 2\nsops: {}\n`).documents.map(({ items }) => items),
    [[{ key: 'a', value: 1n }], [{ key: 'b', value: 2n }]],
  )
})

test('reads master keys of every kind, in the order in which sops tries them', () => {
  const enc = 'E'
  const lists = {
    hc_vault: [{ vault_address: 'https://v', engine_path: 'transit', key_name: 'k', enc }],
    azure_kv: [{ vault_url: 'https://a', name: 'n', version: 7, enc }],
    hckms: [{ key_id: 'r:k', enc }],
    gcp_kms: [{ resource_id: 'projects/p', enc }],
    kms: [
      { arn: 'arn:1', role: 'arn:2', aws_profile: 'p', context: { a: 'b', c: 1, __proto__x: true, d: null }, enc },
      { arn: 'arn:3', role: '', aws_profile: '', context: null, enc },
    ],
    pgp: [{ fp: 'F', enc }],
    age: [age, { ...age, recipient: 'age1y' }],
  }
  const [group, ...others] = metadataOf(lists).keyGroups
  assert.equal(others.length, 0)
  const plain = JSON.parse(JSON.stringify(group))
  assert.deepEqual(plain, [
    { type: 'age', recipient: 'age1x', encrypted: 'A' },
    { type: 'age', recipient: 'age1y', encrypted: 'A' },
    { type: 'pgp', fingerprint: 'F', encrypted: 'E' },
    {
      ...{ type: 'kms', arn: 'arn:1', role: 'arn:2', profile: 'p', encrypted: 'E' },
      context: { a: 'b', c: '1', __proto__x: 'true', d: '' },
    },
    { type: 'kms', arn: 'arn:3', context: {}, encrypted: 'E' },
    { type: 'gcp_kms', resourceId: 'projects/p', encrypted: 'E' },
    { type: 'hckms', keyId: 'r:k', encrypted: 'E' },
    { type: 'azure_kv', vaultUrl: 'https://a', name: 'n', version: '7', encrypted: 'E' },
    { type: 'hc_vault', address: 'https://v', enginePath: 'transit', keyName: 'k', encrypted: 'E' },
  ])
})

test('a mapping counts as a list of one, an empty one as none; comments are left aside', () => {
  assert.deepEqual(
    metadataOf({ age, pgp: {} }).keyGroups[0]!.map(({ type }) => type),
    ['age'],
  )
  const kms = 'kms:\n    # one\n    - arn: x\n      context:\n        # inside\n        a: b\n    # two\n'
  const { keyGroups } = read(`a: 1\nsops:\n  mac: M\n  lastmodified: "${least.lastmodified}"\n  ${kms}`).metadata
  assert.deepEqual(JSON.parse(JSON.stringify(keyGroups)), [
    [{ type: 'kms', arn: 'x', context: { a: 'b' }, encrypted: '' }],
  ])
})

test('reads groups of keys where there is no list of keys', () => {
  const groups = { key_groups: [{ age: [age] }, { pgp: [{ fp: 'F', enc: 'E' }], age: [] }], shamir_threshold: 2 }
  const { keyGroups, shamirThreshold } = metadataOf({ ...groups, age: null })
  assert.deepEqual(
    keyGroups.map(group => group.map(({ type }) => type)),
    [['age'], ['pgp']],
  )
  assert.equal(shamirThreshold, 2)
  assert.deepEqual(metadataOf(groups).keyGroups.length, 1)
})

test('reads rules, flags and times in all their forms', () => {
  for (const type of ['unencrypted_suffix', 'encrypted_suffix', 'unencrypted_regex', 'encrypted_regex'])
    assert.deepEqual(metadataOf({ [type]: 'x' }).rule, { type, value: 'x' })
  for (const type of ['unencrypted_comment_regex', 'encrypted_comment_regex'])
    assert.deepEqual(metadataOf({ [type]: 'x', encrypted_regex: '' }).rule, { type, value: 'x' })
  assert.equal(metadataOf({ encrypted_regex: 'a\\nb' }).rule.value, 'a\\nb')
  for (const flag of [true, 'true', 'True', 'TRUE', 't', 'T', 1, '1'])
    assert.equal(metadataOf({ mac_only_encrypted: flag }).macOnlyEncrypted, true)
  for (const flag of [false, 'false', 'False', 'FALSE', 'f', 'F', 0, '0', ''])
    assert.equal(metadataOf({ mac_only_encrypted: flag }).macOnlyEncrypted, false)
  const times: readonly (readonly [written: string, bound: string])[] = [
    ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:05+00:00', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:05+02:00', '2026-01-02T03:04:05+02:00'],
    ['2026-01-02T03:04:05-02:30', '2026-01-02T03:04:05-02:30'],
  ]
  for (const [lastmodified, bound] of times) assert.equal(metadataOf({ lastmodified }).lastModified, bound)
  assert.equal(
    read('a: 1\nsops: {age: [{enc: A}], mac: M, lastmodified: 2026-01-02T03:04:05Z}\n').metadata.lastModified,
    '2026-01-02T03:04:05Z',
  )
})

test('reads flat metadata of INI and dotenv files, with their line breaks', () => {
  const flat = ['mac = M', 'lastmodified = 2026-01-02T03:04:05Z', 'age__list_0__map_enc = one\\ntwo']
  const ini = read(`[a]\nb = c\n[sops]\n; said\n${flat.join('\n')}\n; more\nage__list_1__map_enc = B\n`, 'ini')
  assert.deepEqual(
    ini.metadata.keyGroups[0]!.map(({ encrypted }) => encrypted),
    ['one\ntwo', 'B'],
  )
  assert.deepEqual(
    ini.documents[0]!.items.map(({ key }) => key),
    ['DEFAULT', 'a'],
  )
  const dotenv = read(
    ['A=1', '#sops_x', ...flat.map(line => `sops_${line.replace(' = ', '=')}`), 'sop_=2'].join('\n'),
    'dotenv',
  )
  assert.deepEqual(
    dotenv.metadata.keyGroups[0]!.map(({ encrypted }) => encrypted),
    ['one\ntwo'],
  )
  assert.deepEqual(
    dotenv.documents[0]!.items.map(({ value }) => value),
    ['1', null, '2'],
  )
})

test('refuses metadata that is missing, doubled or malformed, and says what of it', () => {
  const cases: readonly (readonly [text: string, problem: string, format?: FormatName])[] = [
    ['a: 1\n', 'sops metadata not found'],
    ['', 'sops metadata not found'],
    ['', 'sops metadata not found', 'dotenv'],
    ['A=1', 'sops metadata not found', 'dotenv'],
    ['{"sops": {}, "sops": {}}', 'found duplicate sops entry', 'json'],
    ['sops: text\n', 'found sops entry that is not a mapping'],
    [yaml({ ...least, age: [] }), 'No keys found in file'],
    [yaml({ ...least, age: [], key_groups: [] }), 'No keys found in file'],
    [yaml({ ...least, age: 'x' }), 'age must be a list'],
    [yaml({ ...least, pgp: '' }), 'pgp must be a list'],
    [yaml({ ...least, age: ['x'] }), 'age holds something other than mappings'],
    [yaml({ ...least, age: Array(1001).fill(age) }), 'more than 1000 keys'],
    [yaml({ ...least, shamir_threshold: 256 }), 'shamir_threshold must be a number from 0 to 255'],
    [yaml({ ...least, shamir_threshold: -1 }), 'shamir_threshold must be a number from 0 to 255'],
    [yaml({ ...least, shamir_threshold: 1.5 }), 'shamir_threshold must be a number from 0 to 255'],
    [yaml({ ...least, mac_only_encrypted: 'yes' }), 'mac_only_encrypted must be true or false'],
    [yaml({ ...least, mac_only_encrypted: 'trueish' }), 'mac_only_encrypted must be true or false'],
    [yaml({ ...least, mac_only_encrypted: 'untrue' }), 'mac_only_encrypted must be true or false'],
    [yaml({ ...least, mac_only_encrypted: 'nofalse' }), 'mac_only_encrypted must be true or false'],
    [yaml({ ...least, lastmodified: undefined }), 'lastmodified is not a time'],
    [yaml({ ...least, lastmodified: 'x2026-01-02T03:04:05Z' }), 'lastmodified is not a time'],
    [yaml({ ...least, lastmodified: '2026-01-02T03:04:05Zx' }), 'lastmodified is not a time'],
    [yaml({ ...least, lastmodified: '2026-01-02T03:04:05' }), 'lastmodified is not a time'],
    [
      yaml({ ...least, encrypted_regex: 'x', encrypted_suffix: 'y' }),
      'Cannot use more than one of unencrypted_suffix, encrypted_suffix, unencrypted_regex, encrypted_regex, unencrypted_comment_regex, encrypted_comment_regex in the same file',
    ],
    ['sops_mac=1\nsops_mac=2', 'Error while unflattening: duplicate value for mac', 'dotenv'],
    ['sops_age__list_x=1', 'Error while unflattening: an index is not a number', 'dotenv'],
    ['sops_age__list_1=1', 'Error while unflattening: incomplete list', 'dotenv'],
    ['sops_age__list_0=1\nsops_age__map_a=1', 'Error while unflattening: type mismatch', 'dotenv'],
    ['sops_age=1\nsops_age__map_a=1', 'Error while unflattening: type mismatch', 'dotenv'],
    ['sops_age=1\nsops_age__list_0=1', 'Error while unflattening: type mismatch', 'dotenv'],
  ]
  for (const [text, message, format] of cases) assert.equal(problem(text, format), `metadata: ${message}`)
  assert.equal(metadataOf({ shamir_threshold: 255, age: Array(1000).fill(age) }).shamirThreshold, 255)
})
