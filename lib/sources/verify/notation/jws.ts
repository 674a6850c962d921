import { isObject, type JsonObject } from '../../../foundations/kinds/json-object.ts'
import { NotVerified } from '../not-verified.ts'
import { type Envelope, pluginAttribute, readChain, requireSignature } from './envelope.ts'

const names = {
  algorithm: 'alg',
  contentType: 'cty',
  critical: 'crit',
  scheme: 'io.cncf.notary.signingScheme',
  signingTime: 'io.cncf.notary.signingTime',
  authenticSigningTime: 'io.cncf.notary.authenticSigningTime',
  expiry: 'io.cncf.notary.expiry',
} as const

/**
 * Reads a signature in `application/jose+json`, and verifies it against its own certificate. Fails with NotVerified.
 */
export const readJws = (content: Uint8Array): Envelope => {
  const { protected: head, payload, signature, header } = objectOf(parse(content))
  const { x5c, 'io.cncf.notary.timestampSignature': timestamp } = objectOf(header)
  if (typeof head !== 'string' || typeof payload !== 'string' || typeof signature !== 'string') {
    throw bad('the envelope is incomplete')
  }
  const chain = readChain(
    Array.isArray(x5c) ? x5c.map(der => (typeof der === 'string' ? Buffer.from(der, 'base64') : undefined)) : [],
  )
  const attributes = objectOf(parse(decode(head)))
  requireSignature(chain[0]!, attributes[names.algorithm], Buffer.from(`${head}.${payload}`), decode(signature))
  return {
    ...attributesOf(attributes),
    ...{ payload: decode(payload), chain, signature: decode(signature), timestamp: timestampIn(timestamp) },
  }
}

const timestampIn = (value: unknown): Buffer | undefined => {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw bad('its timestamp is not a string')
  return Buffer.from(value, 'base64')
}

const attributesOf = (attributes: JsonObject) => {
  const scheme = attributes[names.scheme]
  const isAuthority = scheme === 'notary.x509.signingAuthority'
  if (scheme !== 'notary.x509' && !isAuthority) throw bad('unsupported signing scheme')
  const [timeName, otherName] = isAuthority
    ? [names.authenticSigningTime, names.signingTime]
    : [names.signingTime, names.authenticSigningTime]
  if (attributes[otherName] !== undefined) throw bad(`"${otherName}" header must not be present for ${scheme}`)
  const critical = attributes[names.critical]
  if (
    !Array.isArray(critical) ||
    !critical.every(name => typeof name === 'string' && Object.hasOwn(attributes, name))
  ) {
    throw bad('critical headers are missing')
  }
  const expiry = attributes[names.expiry] === undefined ? undefined : timeOf(attributes[names.expiry])
  const required = [
    names.scheme,
    ...(isAuthority ? [names.authenticSigningTime] : []),
    ...(expiry ? [names.expiry] : []),
  ]
  if (!required.every(name => critical.includes(name))) throw bad('required headers are not marked as critical')
  return {
    contentType: String(attributes[names.contentType] ?? ''),
    scheme: scheme as Envelope['scheme'],
    signingTime: timeOf(attributes[timeName]),
    expiry,
    plugin: attributes[pluginAttribute],
    criticalExtensions: critical.filter(name => !(Object.values(names) as string[]).includes(name)) as string[],
  }
}

const timeOf = (value: unknown): Date => {
  const time = new Date(typeof value === 'string' ? value : Number.NaN)
  if (Number.isNaN(time.getTime())) throw bad('it contains an invalid time')
  return time
}

const parse = (content: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(content).toString('utf8'))
  } catch (cause) {
    throw new NotVerified('unable to parse the digital signature: it is not JSON', cause)
  }
}

const objectOf = (value: unknown): JsonObject => {
  if (isObject(value)) return value
  throw bad('the envelope is incomplete')
}

const decode = (text: string): Buffer => {
  if (!/^[\w-]*$/.test(text)) throw bad('a part of it is not base64url')
  return Buffer.from(text, 'base64url')
}

const bad = (why: string): NotVerified => new NotVerified(`unable to parse the digital signature: ${why}`)
