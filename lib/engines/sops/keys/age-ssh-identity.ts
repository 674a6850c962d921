import {
  constants,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
  privateDecrypt,
} from 'node:crypto'
import type { Identity, Stanza } from 'age-encryption'
import { readSshPrivateKey } from './ssh-private-key.ts'

const ed25519Label = 'age-encryption.org/v1/ssh-ed25519'
const rsaLabel = 'age-encryption.org/v1/ssh-rsa'
const fileKeyBytes = 16
/** Length of four bytes in base64, without padding. */
const tagCharacters = 6

/** An SSH private key as an age identity, as the age command reads it. Fails unless it is an Ed25519 or RSA key. */
export const sshIdentity = (pem: string): Identity => {
  const { publicBlob, key } = readSshPrivateKey(pem)
  const type = key.asymmetricKeyType === 'rsa' ? 'ssh-rsa' : 'ssh-ed25519'
  const tag = createHash('sha256').update(publicBlob).digest().subarray(0, 4).toString('base64').slice(0, tagCharacters)
  const unwrap = type === 'ssh-rsa' ? rsaUnwrap(key) : ed25519Unwrap(key, publicBlob)
  return {
    unwrapFileKey: stanzas => {
      const mine = stanzas.find(({ args }) => args[0] === type && args[1] === tag)
      return mine ? unwrap(mine) : null
    },
  }
}

type Unwrap = (stanza: Stanza) => Uint8Array

const rsaUnwrap =
  (key: KeyObject): Unwrap =>
  ({ body }) =>
    privateDecrypt(
      { key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256', oaepLabel: Buffer.from(rsaLabel) },
      body,
    )

const ed25519Unwrap = (key: KeyObject, publicBlob: Uint8Array): Unwrap => {
  const seed = Buffer.from(key.export({ format: 'jwk' }).d!, 'base64url')
  const secret = createHash('sha512').update(seed).digest().subarray(0, 32)
  const ourShare = rawPublic(x25519Private(secret))
  const tweak = Buffer.from(hkdfSync('sha256', Buffer.alloc(0), publicBlob, ed25519Label, 32))
  return ({ args, body }) => {
    const theirShare = Buffer.from(String(args[2]), 'base64')
    if (theirShare.length !== 32 || body.length !== fileKeyBytes + 16) throw new Error('malformed ssh-ed25519 stanza')
    const shared = x25519(tweak, x25519(secret, theirShare))
    const wrappingKey = hkdfSync('sha256', shared, Buffer.concat([theirShare, ourShare]), ed25519Label, 32)
    return unseal(Buffer.from(wrappingKey), Buffer.from(body))
  }
}

/** Use once per key: the nonce is zero. */
const unseal = (key: Buffer, sealed: Buffer): Uint8Array => {
  const decipher = createDecipheriv('chacha20-poly1305', key, Buffer.alloc(12))
  decipher.setAuthTag(sealed.subarray(fileKeyBytes))
  return Buffer.concat([decipher.update(sealed.subarray(0, fileKeyBytes)), decipher.final()])
}

const x25519 = (secret: Uint8Array, point: Uint8Array): Buffer =>
  diffieHellman({ privateKey: x25519Private(secret), publicKey: x25519Public(point) })

/** The DER prefix of a 32-byte key in PKCS #8 and in SubjectPublicKeyInfo. */
const pkcs8 = Buffer.from('302e020100300506032b656e04220420', 'hex')
const spki = Buffer.from('302a300506032b656e032100', 'hex')

const x25519Private = (raw: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([pkcs8, raw]), format: 'der', type: 'pkcs8' })

const x25519Public = (raw: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([spki, raw]), format: 'der', type: 'spki' })

const rawPublic = (key: KeyObject): Buffer =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(spki.length)
