import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { readPrivateKeyFile } from '../../ssh/private-key-file.ts'
import { type SshReader, sshInteger, sshString } from '../../ssh/wire.ts'

export interface SshPrivateKey {
  /** The public key as SSH writes it on the wire. */
  readonly publicBlob: Uint8Array
  readonly key: KeyObject
}

/**
 * Reads an SSH private key: what ssh-keygen writes, and RSA keys in PEM. Fails when it is protected by a passphrase, not
 * well formed, or neither Ed25519 nor RSA; the message holds nothing of the key.
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
    // said below
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
  const [dp, dq] = [p, q].map(prime => bytesOf(numberOf(d) % (numberOf(prime) - 1n)))
  const parts = { n, e, d, p, q, dp: dp!, dq: dq!, qi }
  const jwk = Object.fromEntries(
    Object.entries(parts).map(([name, value]) => [name, trimmed(value).toString('base64url')]),
  )
  return fromJwk({ kty: 'RSA', ...jwk })
}

const fromJwk = (key: JsonWebKey): KeyObject => {
  try {
    return createPrivateKey({ key, format: 'jwk' })
  } catch {
    throw malformed()
  }
}

const numberOf = (bytes: Buffer): bigint => {
  const value = BigInt(`0x${bytes.toString('hex') || '0'}`)
  if (value < 2n) throw malformed()
  return value
}

const bytesOf = (value: bigint): Buffer => {
  const hex = value.toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
}

/** Numbers on the wire begin with a zero byte when their first bit is set. */
const trimmed = (bytes: Buffer): Buffer => {
  let at = 0
  while (at < bytes.length - 1 && bytes[at] === 0) at++
  return bytes.subarray(at)
}

const rsaBlob = ({ e = '', n = '' }: JsonWebKey): Buffer =>
  Buffer.concat([sshString(Buffer.from('ssh-rsa')), ...[e, n].map(part => sshInteger(Buffer.from(part, 'base64url')))])

const withPassphrase = (): Error => new Error('the SSH key is protected by a passphrase')

const malformed = (): Error => new Error('the SSH key is not well formed')
