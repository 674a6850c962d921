import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { type SshReader, sshReader, sshString } from '../../../foundations/ssh/wire.ts'

const armor = /^-----BEGIN SSH SIGNATURE-----\s([A-Za-z0-9+/=\s]+)-----END SSH SIGNATURE-----\s*$/
const magic = 'SSHSIG'
/** The namespace of git's signatures: signatures made for another purpose are rejected. */
const namespace = 'git'

/**
 * Verifies a signature in the SSHSIG format with lines of authorized_keys, and returns the fingerprint of the key that
 * made it. Fails if none did.
 */
export const verifySsh = (payload: Uint8Array, armored: string, authorizedKeys: readonly string[]): string => {
  const { publicKey, signedNamespace, reserved, hashName, signature } = readSignature(armored)
  const trusted = authorizedKeys.flatMap(lines => publicKeysIn(lines))
  const isTrusted = trusted.some(key => key.equals(publicKey))
  if (!isTrusted) throw noMatch('public key does not match')
  if (signedNamespace !== namespace) throw noMatch(`it was made for ${JSON.stringify(signedNamespace.slice(0, 50))}`)
  const message = Buffer.concat([
    Buffer.from(magic),
    ...[Buffer.from(signedNamespace), reserved, Buffer.from(hashName)].map(sshString),
    sshString(createHash(hashName).update(payload).digest()),
  ])
  if (!isSignedBy(publicKey, message, signature)) throw noMatch('the signature is invalid')
  return `SHA256:${createHash('sha256').update(publicKey).digest('base64').replace(/=+$/, '')}`
}

const noMatch = (why: string): Error =>
  new Error(`unable to verify payload with any of the given authorized keys: no matching key: ${why}`)

const readSignature = (armored: string) => {
  const [, text] = armor.exec(armored.trim()) ?? []
  if (text === undefined) throw malformed()
  const bytes = Buffer.from(text, 'base64')
  if (bytes.subarray(0, magic.length).toString('latin1') !== magic) throw malformed()
  const fields = sshReader(bytes.subarray(magic.length), malformed)
  if (fields.number() !== 1) throw malformed()
  const publicKey = fields.string()
  const signedNamespace = fields.string().toString()
  const reserved = fields.string()
  const hashName = fields.string().toString()
  if (hashName !== 'sha256' && hashName !== 'sha512') throw malformed()
  return { publicKey, signedNamespace, reserved, hashName, signature: fields.string() }
}

const malformed = (): Error => new Error('unable to unarmor SSH signature: it is malformed')

/** Ignores options before the type of a key, and comments after it. */
const publicKeysIn = (lines: string): Buffer[] =>
  lines
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => {
      const [, type = '', blob = ''] = /(?:^|\s)([a-z][a-z0-9-]*(?:@[a-z.]+)?) (AAAA[A-Za-z0-9+/=]+)/.exec(line) ?? []
      const bytes = Buffer.from(blob, 'base64')
      if (type === '' || sshReader(bytes, malformed).string().toString() !== type) {
        throw new Error('unable to parse authorized keys: a line does not contain a public key')
      }
      return bytes
    })

const isSignedBy = (publicKey: Buffer, message: Buffer, signature: Buffer): boolean => {
  const key = sshReader(publicKey, malformed)
  const keyType = key.string().toString()
  const signed = sshReader(signature, malformed)
  const algorithm = signed.string().toString()
  const value = signed.string()
  if (keyType === 'ssh-ed25519' && algorithm === keyType) return verify(null, message, ed25519(key.string()), value)
  if (keyType === 'ssh-rsa' && /^rsa-sha2-(256|512)$/.test(algorithm)) {
    return verify(algorithm.replace('rsa-sha2-', 'sha'), message, rsa(key), value)
  }
  const curve = curves[keyType]
  if (curve && algorithm === keyType) {
    const ieee = { key: ecdsa(key, curve), dsaEncoding: 'ieee-p1363' } as const
    return verify(curve.hash, message, ieee, p1363(value, curve.bytes))
  }
  throw noMatch(`keys of type ${JSON.stringify(keyType)} with ${JSON.stringify(algorithm)} are not supported`)
}

interface Curve {
  readonly name: string
  readonly hash: string
  readonly bytes: number
}

const curves: Readonly<Record<string, Curve>> = {
  'ecdsa-sha2-nistp256': { name: 'P-256', hash: 'sha256', bytes: 32 },
  'ecdsa-sha2-nistp384': { name: 'P-384', hash: 'sha384', bytes: 48 },
  'ecdsa-sha2-nistp521': { name: 'P-521', hash: 'sha512', bytes: 66 },
}

const url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')
const jwk = (key: Record<string, string>): KeyObject => createPublicKey({ key, format: 'jwk' })

const ed25519 = (x: Buffer): KeyObject => jwk({ kty: 'OKP', crv: 'Ed25519', x: url(x) })

const rsa = (fields: SshReader): KeyObject => {
  const [e, n] = [fields.string(), fields.string()].map(withoutZeros)
  return jwk({ kty: 'RSA', e: url(e!), n: url(n!) })
}

const ecdsa = (fields: SshReader, { name, bytes }: Curve): KeyObject => {
  fields.string()
  const point = fields.string()
  if (point[0] !== 4 || point.length !== 1 + 2 * bytes) throw malformed()
  return jwk({ kty: 'EC', crv: name, x: url(point.subarray(1, 1 + bytes)), y: url(point.subarray(1 + bytes)) })
}

/** Concatenates both numbers of the signature, padded to full length. */
const p1363 = (value: Buffer, bytes: number) => {
  const fields = sshReader(value, malformed)
  const numbers = [fields.string(), fields.string()].map(withoutZeros)
  if (numbers.some(({ length }) => length > bytes)) throw malformed()
  return Buffer.concat(numbers.map(number => Buffer.concat([Buffer.alloc(bytes - number.length), number])))
}

/** Numbers on the wire begin with a zero byte if their first bit is set. */
const withoutZeros = (bytes: Buffer): Buffer => {
  let at = 0
  while (at < bytes.length - 1 && bytes[at] === 0) at++
  return bytes.subarray(at)
}
