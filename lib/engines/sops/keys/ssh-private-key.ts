import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { readPrivateKeyFile } from '../../../foundations/ssh/private-key-file.ts'
import { type SshReader, sshInteger, sshString } from '../../../foundations/ssh/wire.ts'

export interface SshPrivateKey {
  /** The public key in SSH wire format. */
  readonly publicBlob: Uint8Array
  readonly key: KeyObject
}

/**
 * Reads an SSH private key: ssh-keygen's format, and RSA keys in PEM. Fails if it has a passphrase, is malformed, or is neither Ed25519
 * nor RSA; the message contains nothing of the key.
 */
export const readSshPrivateKey = (pem: string): SshPrivateKey => {
  const file = readPrivateKeyFile(pem, malformed)
  if (file?.hasPassphrase) throw withPassphrase()
  if (file) {
    const { publicBlob, fields } = file.key()
    return { publicBlob, key: keyOf(fields) }
  }
  const key = pemKey(pem)
  return { key, publicBlob: rsaBlob(createPublicKey(key).export({ format: 'jwk' })) }
}

const pemKey = (pem: string): KeyObject => {
  if (pem.includes('ENCRYPTED')) throw withPassphrase()
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'rsa') return key
  } catch {
    // reported below
  }
  throw malformed()
}

const keyOf = (fields: SshReader): KeyObject => {
  const type = fields.string().toString()
  if (type === 'ssh-ed25519') {
    const x = fields.string()
    const seed = fields.string().subarray(0, 32)
    return fromJwk({ kty: 'OKP', crv: 'Ed25519', x: x.toString('base64url'), d: seed.toString('base64url') })
  }
  if (type !== 'ssh-rsa') throw new Error('the SSH key is neither Ed25519 nor RSA')
  const [n, e, d, qi, p, q] = Array.from({ length: 6 }, () => fields.string()) as [
    Buffer,
    Buffer,
    Buffer,
    Buffer,
    Buffer,
    Buffer,
  ]
  if (numberOf(p) * numberOf(q) !== numberOf(n)) throw malformed()
  const [dp, dq] = [p, q].map(prime => remainder(d, prime)) as [Buffer, Buffer]
  const parts = Object.entries({ n, e, d, p, q, dp, dq, qi }).map(([name, value]) => [
    name,
    value.toString('base64url'),
  ])
  return fromJwk({ kty: 'RSA', ...Object.fromEntries(parts) })
}

const fromJwk = (key: JsonWebKey): KeyObject => {
  try {
    return createPrivateKey({ key, format: 'jwk' })
  } catch {
    throw malformed()
  }
}

/** The private exponent modulo one of the primes minus one. */
const remainder = (exponent: Buffer, prime: Buffer): Buffer => {
  if (numberOf(prime) === 1n) throw malformed()
  const value = numberOf(exponent) % (numberOf(prime) - 1n)
  return Buffer.from(value.toString(16).padStart(2 * prime.length, '0'), 'hex')
}

const numberOf = (bytes: Buffer): bigint => BigInt(`0x0${bytes.toString('hex')}`)

const rsaBlob = (publicKey: JsonWebKey): Buffer => {
  const { e, n } = publicKey as { readonly e: string; readonly n: string }
  return Buffer.concat([
    sshString(Buffer.from('ssh-rsa')),
    ...[e, n].map(part => sshInteger(Buffer.from(part, 'base64url'))),
  ])
}

const withPassphrase = (): Error => new Error('the SSH key is protected by a passphrase')

const malformed = (): Error => new Error('the SSH key is not well formed')
