import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'

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
  if (pem.includes('BEGIN OPENSSH PRIVATE KEY'))
    return readOpenSsh(Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64'))
  const key = pemKey(pem)
  return { key, publicBlob: rsaBlob(createPublicKey(key).export({ format: 'jwk' })) }
}

const pemKey = (pem: string): KeyObject => {
  if (pem.includes('ENCRYPTED')) throw new Error('the SSH key is protected by a passphrase')
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'rsa') return key
  } catch {
    // said below
  }
  throw malformed()
}

const magic = 'openssh-key-v1\0'

const readOpenSsh = (bytes: Buffer): SshPrivateKey => {
  if (bytes.subarray(0, magic.length).toString('latin1') !== magic) throw malformed()
  const outer = reader(bytes.subarray(magic.length))
  const cipher = outer.string().toString()
  outer.string()
  outer.string()
  if (cipher !== 'none') throw new Error('the SSH key is protected by a passphrase')
  if (outer.number() !== 1) throw malformed()
  const publicBlob = outer.string()
  const inner = reader(outer.string())
  const [check, again] = [inner.number(), inner.number()]
  if (check !== again) throw malformed()
  return { publicBlob, key: keyOf(inner) }
}

const keyOf = (fields: Reader): KeyObject => {
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

type Reader = { number(): number; string(): Buffer }

const reader = (bytes: Buffer): Reader => {
  let at = 0
  const number = (): number => {
    if (at + 4 > bytes.length) throw malformed()
    at += 4
    return bytes.readUInt32BE(at - 4)
  }
  return {
    number,
    string: () => {
      const length = number()
      if (at + length > bytes.length) throw malformed()
      at += length
      return bytes.subarray(at - length, at)
    },
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
  Buffer.concat(
    [Buffer.from('ssh-rsa'), ...[e, n].map(part => positive(Buffer.from(part, 'base64url')))].flatMap(withLength),
  )

const positive = (bytes: Buffer): Buffer => (bytes[0]! & 0x80 ? Buffer.concat([Buffer.alloc(1), bytes]) : bytes)

const withLength = (bytes: Buffer): Buffer[] => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return [length, bytes]
}

const malformed = (): Error => new Error('the SSH key is not well formed')
