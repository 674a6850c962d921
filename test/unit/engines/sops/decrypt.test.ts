import assert from 'node:assert/strict'
import { test } from 'node:test'
import { armor, Encrypter } from 'age-encryption'
import { decrypt } from '../../../../lib/engines/sops/decrypt.ts'
import { encryptedFormatOf, formatOfPath, isEncrypted } from '../../../../lib/engines/sops/formats/format-of.ts'
import { ageService } from '../../../../lib/engines/sops/keys/age-identities.ts'
import { SopsError } from '../../../../lib/engines/sops/sops-error.ts'
import { ageLock, encryptSops, encryptSopsYaml } from '../../../bed/encrypt-sops.ts'
import { damage } from '../../../differential/sops-damage.ts'
import { seededRandom } from '../../../e2e/seeded-random.ts'
import { identity, recipient } from './fixed-key.ts'

const services = { age: await ageService([identity]) }
const locks = [ageLock(recipient)]
const yaml = { format: 'yaml', services } as const

const failure = async (content: string, format: 'yaml' | 'json' = 'yaml') => {
  try {
    await decrypt(Buffer.from(content), { format, services })
  } catch (error) {
    assert.ok(error instanceof SopsError, String(error))
    return [error.code, error.message, error.key]
  }
  return assert.fail('it was decrypted')
}

test('writes what it decrypts as sops does: four spaces, types kept, metadata gone', async () => {
  const text = await encryptSopsYaml({ a: 1, b: { c: [true, 'two', ''] } }, { locks })
  assert.equal(
    String(Buffer.from(await decrypt(Buffer.from(text), yaml))),
    'a: 1\nb:\n    c:\n        - true\n        - two\n        - ""\n',
  )
})

test('a value that was moved to another key does not open there, and the key is named', async () => {
  const text = await encryptSopsYaml({ a: 'one', b: 'two' }, { locks })
  const swapped = text.replace(/^a: (.*)\nb: (.*)$/m, 'a: $2\nb: $1')
  assert.deepEqual(await failure(swapped), [
    'value',
    'Error walking tree: Could not decrypt value: Could not decrypt with AES_GCM: cipher: message authentication failed',
    'a',
  ])
})

test('values that were dropped, doubled or reordered are noticed', async () => {
  const lines = (await encryptSopsYaml({ a: 'one', b: 'two', list: ['x', 'y'] }, { locks })).split('\n')
  const [a = '', b = ''] = lines
  const x = lines.findIndex(line => line.startsWith('- '))
  const changes = {
    dropped: lines.slice(1),
    reordered: [b, a, ...lines.slice(2)],
    'swapped within a list': lines.with(x, lines[x + 1]!).with(x + 1, lines[x]!),
    doubled: lines.toSpliced(x, 0, lines[x]!),
  }
  for (const [change, changed] of Object.entries(changes)) {
    assert.equal((await failure(changed.join('\n')))[0], 'mac', change)
  }
})

test('no error holds a value, encrypted or not', async () => {
  const text = await encryptSopsYaml({ a: 'one', plain_unencrypted: 'hush-hush' }, { locks })
  const broken = [
    text.replace(/^a: .*$/m, 'a: hush-hush'),
    text.replace(/^a: .*$/m, 'a: 5'),
    text.replace('lastmodified: "2026', 'lastmodified: "hush-hush'),
    text.replace(/mac: .*/, 'mac: hush-hush'),
    `${text}\nhush-hush`,
  ]
  for (const content of broken) assert.doesNotMatch(String(await failure(content)), /hush/)
})

test('JSON is read in the order of its text, whatever its keys are', async () => {
  const { sops, ...document } = await encryptSops({ b: 'x', z: 'y' }, { locks })
  const text = JSON.stringify({ ...document, sops }).replaceAll('"b"', '"10"')
  assert.equal((await failure(text, 'json'))[0], 'value', 'the path is another')
  const ordered = await encryptSops({ '10': 'x', a: 'y', '2': 'z' }, { locks })
  const sorted = ['10', '2', 'a', 'sops'].map(key => `${JSON.stringify(key)}: ${JSON.stringify(ordered[key])}`)
  const plain = await decrypt(Buffer.from(`{${sorted.join(',')}}`), { format: 'json', services })
  assert.equal(String(Buffer.from(plain)), '{\n\t"10": "x",\n\t"2": "z",\n\t"a": "y"\n}\n')
})

test('an age recipient of another kind, a broken stanza and a wrong length are refused plainly', async () => {
  const text = await encryptSopsYaml({ a: 'one' }, { locks })
  const short = async (): Promise<readonly [string, { recipient: string; enc: string }]> => {
    const encrypter = new Encrypter()
    encrypter.addRecipient(recipient)
    return ['age', { recipient, enc: armor.encode(await encrypter.encrypt(new Uint8Array(5))) }]
  }
  assert.match(
    String((await failure(text.replace(/-----BEGIN[\s\S]*?-----END/, '-----BEGIN -----END')))[1]),
    /malformed/,
  )
  const wrong = await encryptSopsYaml({ a: 'one' }, { locks: [short] })
  assert.deepEqual(await failure(wrong), ['data-key', 'the data key has 5 bytes, not 32', undefined])
})

test('a document whose aliases expand to a million values is refused', async () => {
  const { sops } = await encryptSops({ a: 'one' }, { locks })
  const levels = Array.from({ length: 20 }, (_, i) => `l${i}: &l${i} [${i === 0 ? 'x' : `*l${i - 1}, *l${i - 1}`}]`)
  assert.match(
    String(await failure(`${levels.join('\n')}\nsops: ${JSON.stringify(sops)}\n`)),
    /document contains excessive aliasing/,
  )
})

test('nesting without end is refused', async () => {
  const deep = `{"a": ${'['.repeat(100_000)}`
  assert.deepEqual((await failure(deep, 'json'))[0], 'format')
  assert.match(String(await failure(`a: ${'['.repeat(5000)}`)), /format/)
})

test('damaged files are refused with a SopsError, never anything else', async () => {
  const random = seededRandom(7)
  const files = [
    ['yaml', await encryptSopsYaml({ a: 1, b: { c: ['x', { d: 'y' }] } }, { locks })],
    ['json', JSON.stringify(await encryptSops({ a: 1, b: { c: ['x'] } }, { locks }), null, 1)],
    ['dotenv', 'A=ENC[AES256_GCM,data:a,iv:b,tag:c,type:str]\nsops_mac=ENC[x]\nsops_age__list_0__map_enc=x\n'],
    ['ini', '[a]\nb = c\n[sops]\nmac = ENC[x]\nage__list_0__map_enc = x\nlastmodified = 2026-01-01T00:00:00Z\n'],
    ['binary', '{"data": "ENC[x]", "sops": {"mac": "ENC[x]"}}'],
  ] as const
  for (const [format, text] of files) {
    let content: Buffer = Buffer.from(text)
    for (let i = 0; i < 60; i++) {
      content = i % 6 === 0 ? Buffer.from(text) : damage(content, random)
      await decrypt(content, { format, services }).catch(error => assert.ok(error instanceof SopsError, error.stack))
    }
  }
})

test('formats are recognized by name and by content', async () => {
  const names = ['a.yaml', 'a.yml', 'a.json', '.dockerconfigjson', 'a.env', 'a.ini', 'a.txt', 'token']
  assert.deepEqual(names.map(formatOfPath), ['yaml', 'yaml', 'json', 'json', 'dotenv', 'ini', 'binary', 'binary'])
  assert.deepEqual(['a.yaml.bak', 'a.json.bak'].map(formatOfPath), ['binary', 'binary'])
  const encrypted = Buffer.from(await encryptSopsYaml({ a: 1 }, { locks }))
  assert.equal(isEncrypted(encrypted, 'binary'), false)
  assert.equal(encryptedFormatOf(encrypted), 'yaml')
  assert.equal(isEncrypted(encrypted, 'json'), false)
  assert.equal(encryptedFormatOf(Buffer.from('a: 1')), undefined)
})
