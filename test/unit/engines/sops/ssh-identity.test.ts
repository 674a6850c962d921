import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  constants,
  createCipheriv,
  createHash,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  publicEncrypt,
  sign,
  verify,
} from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readAgeIdentities } from '../../../../lib/engines/sops/keys/age-identities.ts'
import { sshIdentity } from '../../../../lib/engines/sops/keys/age-ssh-identity.ts'
import { readSshPrivateKey } from '../../../../lib/engines/sops/keys/ssh-private-key.ts'
import { privateKeyFile } from '../../../../lib/foundations/ssh/private-key-file.ts'
import { sshInteger, sshString } from '../../../../lib/foundations/ssh/wire.ts'
import { identity } from './fixed-key.ts'

const sshKeygen = (...options: string[]): { pem: string; blob: Buffer } => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-ssh-'))
  const file = join(folder, 'key')
  execFileSync('ssh-keygen', ['-q', '-f', file, ...options])
  const pem = readFileSync(file, 'utf8')
  const blob = Buffer.from(readFileSync(`${file}.pub`, 'utf8').split(' ')[1]!, 'base64')
  rmSync(folder, { recursive: true })
  return { pem, blob }
}

test('reads keys as ssh-keygen writes them: their public parts are those of the .pub files', () => {
  for (const options of [
    ['-t', 'ed25519'],
    ['-t', 'rsa', '-b', '2048'],
    ['-t', 'rsa', '-b', '2048', '-m', 'PEM'],
  ]) {
    const { pem, blob } = sshKeygen(...options, '-N', '')
    const read = readSshPrivateKey(pem)
    assert.deepEqual(Buffer.from(read.publicBlob), blob)
    const jwk = createPublicKey(read.key).export({ format: 'jwk' })
    assert.ok(blob.includes(Buffer.from(jwk.x ?? jwk.n ?? '', 'base64url')))
  }
})

test('refuses keys with a passphrase, other kinds, and nonsense, without a word of them', () => {
  const refused = (pem: string) => {
    try {
      sshIdentity(pem)
    } catch (error) {
      return (error as Error).message
    }
    return 'taken'
  }
  assert.equal(refused(sshKeygen('-t', 'ed25519', '-N', 'secret').pem), 'the SSH key is protected by a passphrase')
  const encrypted = sshKeygen('-t', 'rsa', '-b', '2048', '-m', 'PEM', '-N', 'secret').pem
  assert.equal(refused(encrypted), 'the SSH key is protected by a passphrase')
  assert.equal(refused(sshKeygen('-t', 'ecdsa', '-m', 'PEM', '-N', '').pem), 'the SSH key is not well formed')
  assert.equal(refused(sshKeygen('-t', 'ecdsa', '-N', '').pem), 'the SSH key is neither Ed25519 nor RSA')
  const nonsense = '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\n-----END OPENSSH PRIVATE KEY-----'
  assert.equal(refused(nonsense), 'the SSH key is not well formed')
})

test('an RSA key works with any valid numbers, and is refused with impossible ones', () => {
  let pair = generateKeyPairSync('rsa', { modulusLength: 512 })
  const numbers = () => pair.privateKey.export({ format: 'jwk' }) as Readonly<Record<string, string>>
  const bytes = (text = '') => Buffer.from(text, 'base64url')
  // Of an odd number of hexadecimal digits.
  while (bytes(numbers().dp)[0]! >= 16) pair = generateKeyPairSync('rsa', { modulusLength: 512 })
  const { n, e, d, qi, p, q } = numbers()
  const file = (...parts: Uint8Array[]) => {
    const type = sshString(Buffer.from('ssh-rsa'))
    const blob = Buffer.concat([type, sshInteger(bytes(e)), sshInteger(bytes(n))])
    return privateKeyFile(blob, Buffer.concat([type, ...parts.map(sshInteger)]))
  }
  const read = readSshPrivateKey(file(...[n, e, d, qi, p, q].map(bytes)))
  assert.ok(verify('sha256', Buffer.from('x'), pair.publicKey, sign('sha256', Buffer.from('x'), read.key)))
  const jwk = read.key.export({ format: 'jwk' })
  assert.deepEqual([jwk.dp, jwk.dq, jwk.qi], [numbers().dp, numbers().dq, qi])
  const factors = [
    ['', q],
    [p, 'AA'],
    [p, 'Ag'],
    ['AQ', n],
    [n, 'AQ'],
  ]
  for (const pair of factors)
    assert.throws(() => readSshPrivateKey(file(...[n, e, d, qi, ...pair].map(bytes))), {
      message: 'the SSH key is not well formed',
    })
})

test('an Ed25519 key of another length is refused', () => {
  const type = sshString(Buffer.from('ssh-ed25519'))
  const short = sshString(Buffer.alloc(31, 1))
  assert.throws(() => readSshPrivateKey(privateKeyFile(type, Buffer.concat([type, short, short]))), {
    message: 'the SSH key is not well formed',
  })
})

test('one text may have SSH keys and age identities', async () => {
  const [ed25519, rsa] = [
    sshKeygen('-t', 'ed25519', '-N', ''),
    sshKeygen('-t', 'rsa', '-b', '2048', '-m', 'PEM', '-N', ''),
  ]
  const read = await readAgeIdentities(`# mine\n${ed25519.pem}\n${identity}\n${rsa.pem}`)
  assert.deepEqual(
    read.map(one => (typeof one === 'string' ? one : typeof one.unwrapFileKey)),
    ['function', 'function', identity],
  )
})

const tagOf = (blob: Buffer) =>
  createHash('sha256').update(blob).digest().subarray(0, 4).toString('base64').replace(/=+$/, '')

test('opens what age wraps for an RSA key', async () => {
  const { pem, blob } = sshKeygen('-t', 'rsa', '-b', '2048', '-N', '')
  const fileKey = Buffer.alloc(16, 7)
  const oaep = {
    padding: constants.RSA_PKCS1_OAEP_PADDING,
    oaepHash: 'sha256',
    oaepLabel: Buffer.from('age-encryption.org/v1/ssh-rsa'),
  }
  const body = publicEncrypt({ key: createPublicKey(readSshPrivateKey(pem).key), ...oaep }, fileKey)
  const stanza = { args: ['ssh-rsa', tagOf(blob)], body }
  assert.deepEqual(await sshIdentity(pem).unwrapFileKey([stanza]), fileKey)
  const foreign = [
    { args: ['ssh-rsa', 'AAAAAA'], body },
    { args: ['ssh-ed25519', tagOf(blob)], body },
  ]
  assert.equal(await sshIdentity(pem).unwrapFileKey(foreign), null)
  assert.deepEqual(await sshIdentity(pem).unwrapFileKey([...foreign, stanza]), fileKey)
})

test('opens what age wraps for an Ed25519 key', async () => {
  const { pem, blob } = sshKeygen('-t', 'ed25519', '-N', '')
  const fileKey = Buffer.alloc(16, 9)
  const label = 'age-encryption.org/v1/ssh-ed25519'
  // The sender: an ephemeral key against the recipient's, which is the SSH key's point on the other form of the curve.
  const y = BigInt(`0x${Buffer.from(blob.subarray(-32)).reverse().toString('hex')}`) & ((1n << 255n) - 1n)
  const p = (1n << 255n) - 19n
  const inverse = (value: bigint): bigint => power(((value % p) + p) % p, p - 2n, p)
  const u = ((1n + y) * inverse(1n - y)) % p
  const theirs = Buffer.from((((u % p) + p) % p).toString(16).padStart(64, '0'), 'hex').reverse()
  const spki = Buffer.from('302a300506032b656e032100', 'hex')
  const publicKey = (raw: Uint8Array) =>
    createPublicKey({ key: Buffer.concat([spki, raw]), format: 'der', type: 'spki' })
  const ephemeral = generateKeyPairSync('x25519')
  const share = ephemeral.publicKey.export({ format: 'der', type: 'spki' }).subarray(spki.length)
  const tweak = Buffer.from(hkdfSync('sha256', Buffer.alloc(0), blob, label, 32))
  const pkcs8 = Buffer.from('302e020100300506032b656e04220420', 'hex')
  const { createPrivateKey } = await import('node:crypto')
  const tweakKey = createPrivateKey({ key: Buffer.concat([pkcs8, tweak]), format: 'der', type: 'pkcs8' })
  const first = diffieHellman({ privateKey: ephemeral.privateKey, publicKey: publicKey(theirs) })
  const shared = diffieHellman({ privateKey: tweakKey, publicKey: publicKey(first) })
  const key = Buffer.from(hkdfSync('sha256', shared, Buffer.concat([share, theirs]), label, 32))
  const cipher = createCipheriv('chacha20-poly1305', key, Buffer.alloc(12), { authTagLength: 16 })
  const body = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()])
  const stanza = { args: ['ssh-ed25519', tagOf(blob), share.toString('base64').replace(/=+$/, '')], body }
  assert.deepEqual(await sshIdentity(pem).unwrapFileKey([stanza]), fileKey)
  const broken = [
    { ...stanza, args: stanza.args.slice(0, 2) },
    { ...stanza, args: [...stanza.args.slice(0, 2), 'AAAA'] },
    { ...stanza, body: body.subarray(1) },
    { ...stanza, body: Buffer.concat([body, body]) },
  ]
  for (const each of broken)
    assert.throws(() => sshIdentity(pem).unwrapFileKey([each]), { message: 'malformed ssh-ed25519 stanza' })
  const changed = Buffer.from(body)
  changed[0]! ^= 1
  assert.throws(() => sshIdentity(pem).unwrapFileKey([{ ...stanza, body: changed }]), /authenticate/)
})

const power = (base: bigint, exponent: bigint, modulus: bigint): bigint => {
  let [result, factor] = [1n, base]
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * factor) % modulus
    factor = (factor * factor) % modulus
  }
  return result
}
