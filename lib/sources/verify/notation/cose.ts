import { decode, encode, Tag } from 'cbor2'
import { NotVerified } from '../not-verified.ts'
import { type Algorithm, type Envelope, pluginAttribute, readChain, requireSignature } from './envelope.ts'

/** Labels of COSE headers (RFC 9052, RFC 9360). */
const [ALGORITHM, CRITICAL, CONTENT_TYPE, CHAIN] = [1, 2, 3, 33]
const names = {
  scheme: 'io.cncf.notary.signingScheme',
  signingTime: 'io.cncf.notary.signingTime',
  authenticSigningTime: 'io.cncf.notary.authenticSigningTime',
  expiry: 'io.cncf.notary.expiry',
} as const
const SIGN1 = 18
const timestampHeader = 'io.cncf.notary.timestampSignature'

const algorithms: ReadonlyMap<unknown, Algorithm> = new Map([
  [-37, 'PS256'],
  [-38, 'PS384'],
  [-39, 'PS512'],
  [-7, 'ES256'],
  [-35, 'ES384'],
  [-36, 'ES512'],
])

type Headers = ReadonlyMap<unknown, unknown>

/**
 * Reads a signature in `application/cose` (COSE_Sign1), and verifies it against its own certificate. Fails with
 * NotVerified.
 */
export const readCose = (content: Uint8Array): Envelope => {
  const message = parse(content)
  const parts = message instanceof Tag && message.tag === SIGN1 ? message.contents : undefined
  if (!Array.isArray(parts) || parts.length !== 4) throw bad('it is not a COSE_Sign1 message')
  const [head, unprotected, payload, signature] = parts as unknown[]
  if (!(isBytes(head) && isBytes(payload) && isBytes(signature))) throw bad('the envelope is incomplete')
  const attributes = headersOf(parse(head))
  const others = headersOf(unprotected)
  const certificates = others.get(CHAIN)
  const chain = readChain(Array.isArray(certificates) ? certificates : [])
  const signed = encode(['Signature1', head, new Uint8Array(), payload])
  requireSignature(chain[0]!, algorithms.get(attributes.get(ALGORITHM)), signed, signature)
  const timestamp = others.get(timestampHeader)
  if (timestamp !== undefined && !isBytes(timestamp)) throw bad('its timestamp is not a byte string')
  return { ...attributesOf(attributes), payload, chain, signature, timestamp }
}

const attributesOf = (attributes: Headers) => {
  const scheme = attributes.get(names.scheme)
  const isAuthority = scheme === 'notary.x509.signingAuthority'
  if (scheme !== 'notary.x509' && !isAuthority) throw bad('unsupported signing scheme')
  const critical = attributes.get(CRITICAL)
  if (!Array.isArray(critical) || !critical.every(label => attributes.has(label)))
    throw bad('critical headers are missing')
  const required = [
    names.scheme,
    ...(isAuthority ? [names.authenticSigningTime] : []),
    ...(attributes.has(names.expiry) ? [names.expiry] : []),
  ]
  if (!required.every(name => critical.includes(name))) throw bad('required headers are not marked as critical')
  const known: readonly unknown[] = [ALGORITHM, CRITICAL, CONTENT_TYPE, ...Object.values(names)]
  return {
    contentType: String(attributes.get(CONTENT_TYPE) ?? ''),
    scheme: scheme as Envelope['scheme'],
    signingTime: timeOf(attributes.get(isAuthority ? names.authenticSigningTime : names.signingTime)),
    expiry: attributes.has(names.expiry) ? timeOf(attributes.get(names.expiry)) : undefined,
    plugin: attributes.get(pluginAttribute),
    criticalExtensions: critical.filter(label => !known.includes(label)).map(String),
  }
}

const timeOf = (value: unknown): Date => {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value
  throw bad('it contains an invalid time')
}

const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array

/** cbor2 decodes maps with only text keys as objects. */
const headersOf = (value: unknown): Headers => {
  if (value instanceof Map) return value
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
    return new Map(Object.entries(value))
  }
  throw bad('its headers are not a map')
}

const parse = (content: Uint8Array): unknown => {
  try {
    return decode(new Uint8Array(content), { rejectDuplicateKeys: true, maxDepth: 16 })
  } catch (cause) {
    throw new NotVerified('unable to parse the digital signature: it is not CBOR', cause)
  }
}

const bad = (why: string): NotVerified => new NotVerified(`unable to parse the digital signature: ${why}`)
