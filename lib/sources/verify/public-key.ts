import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { keyIdOf } from '../../foundations/rules/verify-receipt.ts'
import { InvalidPublicKey } from './not-verified.ts'

/** A trusted public key: ECDSA, RSA (PKCS #1 v1.5) or Ed25519. */
export interface TrustedKey {
  /** Two keys with the same ID are the same key. */
  readonly id: string
  /** Whether the key made the signature of the content. */
  hasSigned(content: Uint8Array, signature: Uint8Array): boolean
}

/** Reads a public key in PEM. Fails with InvalidPublicKey. */
export const readPublicKey = (pem: Uint8Array): TrustedKey => {
  const key = parse(pem)
  const type = key.asymmetricKeyType
  if (type !== 'ec' && type !== 'rsa' && type !== 'ed25519') {
    throw new InvalidPublicKey(`unsupported public key type: ${type ?? 'unknown'}`)
  }
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  if (type === 'rsa' && bits < MIN_RSA_BITS) {
    throw new InvalidPublicKey(`the RSA key has ${bits} bits, fewer than the required ${MIN_RSA_BITS}`)
  }
  const hashes = type === 'ed25519' ? [null] : type === 'rsa' ? ['sha256'] : hashesOfCurve(key)
  return {
    id: keyIdOf(key),
    hasSigned: (content, signature) => hashes.some(hash => isSigned(hash, content, key, signature)),
  }
}

const MIN_RSA_BITS = 2048

/** Private keys and certificates contain a public key too, but are refused as a likely mistake. */
const publicKeyBlocks = ['PUBLIC KEY', 'RSA PUBLIC KEY']

const parse = (pem: Uint8Array): KeyObject => {
  const text = Buffer.from(pem).toString('latin1')
  const block = /^\s*-----BEGIN ([^\n]*)-----\s/.exec(text)?.[1]
  if (block === undefined) throw new InvalidPublicKey('PEM decoding failed')
  if (!publicKeyBlocks.includes(block)) {
    throw new InvalidPublicKey(`unknown Public key PEM file type: ${block}. Are you passing the correct public key?`)
  }
  try {
    return createPublicKey(text)
  } catch (cause) {
    throw new InvalidPublicKey('PEM decoding failed', cause)
  }
}

/** cosign always signs with SHA-256; bundles use the hash of the curve. */
const hashesOfCurve = (key: KeyObject): readonly string[] => {
  const own = { 'P-384': 'sha384', secp384r1: 'sha384', 'P-521': 'sha512', secp521r1: 'sha512' }
  const curve = key.asymmetricKeyDetails?.namedCurve ?? ''
  return Object.hasOwn(own, curve) ? ['sha256', own[curve as keyof typeof own]] : ['sha256']
}

const isSigned = (hash: string | null, content: Uint8Array, key: KeyObject, signature: Uint8Array): boolean => {
  try {
    return verify(hash, content, key, signature)
  } catch {
    return false
  }
}
