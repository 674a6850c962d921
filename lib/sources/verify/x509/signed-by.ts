import { constants, type KeyObject, verify } from 'node:crypto'
import { type Der, fieldsOf, oidOf } from '../../../foundations/der/read-der.ts'
import { tags } from '../../../foundations/der/tags.ts'

/** Accepted hashes; SHA-1 and MD5 are too weak. */
const hashes: ReadonlyMap<string, string> = new Map([
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
])

/** The hash of an AlgorithmIdentifier by node's name; undefined for others than SHA-2. */
export const hashAlgorithm = (algorithm: Der): string | undefined => hashes.get(identifierOf(algorithm))

interface Scheme {
  readonly key: 'rsa' | 'ec' | 'ed25519'
  readonly hash: string | null
}

const schemes: ReadonlyMap<string, Scheme> = new Map([
  ['1.2.840.113549.1.1.11', { key: 'rsa', hash: 'sha256' }],
  ['1.2.840.113549.1.1.12', { key: 'rsa', hash: 'sha384' }],
  ['1.2.840.113549.1.1.13', { key: 'rsa', hash: 'sha512' }],
  ['1.2.840.10045.4.3.2', { key: 'ec', hash: 'sha256' }],
  ['1.2.840.10045.4.3.3', { key: 'ec', hash: 'sha384' }],
  ['1.2.840.10045.4.3.4', { key: 'ec', hash: 'sha512' }],
  ['1.3.101.112', { key: 'ed25519', hash: null }],
])
const RSA = '1.2.840.113549.1.1.1'
const PSS = '1.2.840.113549.1.1.10'

/** The object identifier in an AlgorithmIdentifier: `2.16.840.1.101.3.4.2.1`. */
export const identifierOf = (algorithm: Der): string => oidOf(fieldsOf(algorithm.content).next(tags.oid))

interface Signature {
  readonly content: Uint8Array
  /** `AlgorithmIdentifier`. */
  readonly algorithm: Der
  readonly signature: Uint8Array
}

/**
 * Whether a key made a signature with its stated algorithm. Returns false also if the algorithm is unknown, too weak,
 * or for another type of key. Messages (CMS) state the hash elsewhere. Fails with InvalidDer.
 */
export const verifiesSignature = (
  key: KeyObject,
  { content, algorithm, signature }: Signature,
  elsewhere?: string,
): boolean => {
  const id = identifierOf(algorithm)
  const scheme =
    id === PSS ? pssOf(algorithm) : id === RSA ? elsewhere && { key: 'rsa', hash: elsewhere } : schemes.get(id)
  if (!scheme || scheme.key !== key.asymmetricKeyType || (elsewhere && scheme.hash && elsewhere !== scheme.hash))
    return false
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
  try {
    return verify(scheme.hash, content, { key, ...(id === PSS && padding) }, signature)
  } catch {
    return false // the signature is malformed
  }
}

/** The hash in `RSASSA-PSS-params`; supports only the default mask and salt, so that others fail to verify. */
const pssOf = (algorithm: Der): Scheme | undefined => {
  const fields = fieldsOf(algorithm.content)
  fields.next(tags.oid)
  const named = fieldsOf(fields.next(tags.sequence).content).optional(0xa0)
  const hash = named && hashAlgorithm(fieldsOf(named.content).next(tags.sequence))
  return hash === undefined ? undefined : { key: 'rsa', hash }
}
