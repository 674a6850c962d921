import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { readSequence, valuesOf } from '../../../foundations/der/read-der.ts'
import { integer, objectId, octets, sequence } from '../../../foundations/der/write-der.ts'
import { curves } from './curves.ts'
import { readPem, writePem } from './pem.ts'

export type KeyType = 'rsa' | 'dsa' | 'ecdsa' | 'ed25519'

/** Generates a private key; `bits` is the size of an RSA key. */
export type NewKey = (type: KeyType, bits?: number) => KeyObject

/** Generates keys from the system's random numbers. */
export const newKey: NewKey = (type, bits = 2048) => {
  switch (type) {
    case 'rsa':
      return generateKeyPairSync('rsa', { modulusLength: bits }).privateKey
    case 'dsa':
      return generateKeyPairSync('dsa', { modulusLength: 2048, divisorLength: 256 }).privateKey
    case 'ecdsa':
      return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    case 'ed25519':
      return generateKeyPairSync('ed25519').privateKey
  }
}

/** Writes OpenSSL's traditional format for the type of key, or PKCS #8 if there is none. */
export const writePrivateKey = (key: KeyObject): string => {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return key.export({ type: 'pkcs1', format: 'pem' }) as string
    case 'ec':
      return key.export({ type: 'sec1', format: 'pem' }) as string
    case 'dsa':
      return writePem({ label: 'DSA PRIVATE KEY', bytes: traditionalDsa(key) })
    default:
      return key.export({ type: 'pkcs8', format: 'pem' }) as string
  }
}

const formats = {
  'PRIVATE KEY': { type: 'pkcs8', failure: 'decoding PEM as PKCS#8' },
  'RSA PRIVATE KEY': { type: 'pkcs1', failure: 'parsing RSA private key from PEM' },
  'EC PRIVATE KEY': { type: 'sec1', failure: 'parsing EC private key from PEM' },
} as const

/** Throws unless the text is a private key; the error never quotes it. */
export const readPrivateKey = (pem: string): KeyObject => {
  const block = readPem(pem)
  if (!block) throw new Error('no PEM data in input')
  const { label, bytes } = block
  if (!/(^| )PRIVATE KEY$/.test(label)) throw new Error(`no private key data in PEM block of type ${label}`)
  if (label === 'DSA PRIVATE KEY') return orFailure('parsing DSA private key from PEM', () => readTraditionalDsa(bytes))
  const format = Object.hasOwn(formats, label) ? formats[label as keyof typeof formats] : undefined
  if (!format) throw new Error(`invalid private key type ${label}`)
  const { type, failure } = format
  const key = orFailure(failure, () => createPrivateKey({ key: bytes, format: 'der', type }))
  if (key.asymmetricKeyType === 'ec' && !curves.has(key.asymmetricKeyDetails!.namedCurve!)) {
    const inside = type === 'pkcs8' ? 'x509: failed to parse EC private key embedded in PKCS#8: ' : ''
    throw new Error(`${failure}: ${inside}x509: unknown elliptic curve`)
  }
  return key
}

const orFailure = (failure: string, read: () => KeyObject): KeyObject => {
  try {
    return read()
  } catch {
    throw new Error(`${failure}: malformed key`)
  }
}

// A DSA key in OpenSSL's traditional format: version, p, q, g, public and private number. Node reads and writes PKCS #8.

const dsa = objectId('1.2.840.10040.4.1')
const zero = integer(Buffer.of(0))

const traditionalDsa = (key: KeyObject): Buffer => {
  const [, algorithm, x] = readSequence(key.export({ type: 'pkcs8', format: 'der' }))
  const [, y] = readSequence(createPublicKey(key).export({ type: 'spki', format: 'der' }))
  const [, parameters] = valuesOf(algorithm!.content)
  // A bit string starts with the number of its unused bits: none.
  return sequence(zero, parameters!.content, y!.content.subarray(1), x!.content)
}

const readTraditionalDsa = (bytes: Buffer): KeyObject => {
  const [, p, q, g, , x] = readSequence(bytes).map(({ whole }) => whole)
  const key = sequence(zero, sequence(dsa, sequence(p!, q!, g!)), octets(x!))
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
}
