import { createHash } from 'node:crypto'
import { type Der, fieldsOf, InvalidDer, integerOf, oidOf, readDer, timeOf } from '../../../foundations/der/read-der.ts'
import { context, tags } from '../../../foundations/der/tags.ts'
import { toDer } from './ber.ts'
import { type Certificate, readCertificate } from './certificate.ts'
import { hashAlgorithm, verifiesSignature } from './signed-by.ts'

/** A token of a time-stamping authority (RFC 3161): signed data (RFC 5652) that states when a hash existed. */
export interface TimestampToken {
  readonly info: TimestampInfo
  /** All certificates in the message. */
  readonly certificates: readonly Certificate[]
  /** The certificates whose key signed the token, and that the token names. Not verified against a root. */
  readonly signers: readonly Certificate[]
}

export interface TimestampInfo {
  readonly time: Date
  /** The accuracy of the time, in milliseconds. */
  readonly accuracyMs: number
  /** Whether the time is for this content. */
  covers(content: Uint8Array): boolean
}

const ids = {
  signedData: '1.2.840.113549.1.7.2',
  timestampInfo: '1.2.840.113549.1.9.16.1.4',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingTime: '1.2.840.113549.1.9.5',
  signingCertificate: '1.2.840.113549.1.9.16.2.47',
  baselinePolicy: '0.4.0.2023.1.1',
} as const

const MAX_CERTIFICATES = 20

/** Reads `TimeStampToken`, in DER or BER. Fails with InvalidDer, or with an error of node:crypto. */
export const readTimestampToken = (bytes: Uint8Array): TimestampToken => {
  const message = fieldsOf(readDer(toDer(bytes), tags.sequence).content)
  requireId(message.next(tags.oid), ids.signedData)
  const data = fieldsOf(readDer(message.next(context(0)).content, tags.sequence).content)
  if (integerOf(data.next(tags.integer)) !== 3n) throw new InvalidDer('unsupported version of signed data')
  data.next(tags.set)
  const encapsulated = fieldsOf(data.next(tags.sequence).content)
  requireId(encapsulated.next(tags.oid), ids.timestampInfo)
  const content = readDer(encapsulated.next(context(0)).content, tags.octetString).content
  const list = data.optional(context(0))
  const found = list ? [...fieldsOf(list.content).rest(tags.sequence)].slice(0, MAX_CERTIFICATES) : []
  const certificates = found.map(({ whole }) => readCertificate(whole))
  data.optional(context(1)) // revocation lists
  const signers = [...fieldsOf(data.next(tags.set).content).rest(tags.sequence)]
    .slice(0, MAX_CERTIFICATES)
    .flatMap(signer => signerOf(signer, content, certificates) ?? [])
  return { info: infoIn(content), certificates, signers }
}

const requireId = (found: Der, expected: string): void => {
  if (oidOf(found) !== expected) throw new InvalidDer('it is not a token of a time-stamping authority')
}

const infoIn = (content: Buffer): TimestampInfo => {
  const fields = fieldsOf(readDer(content, tags.sequence).content)
  if (integerOf(fields.next(tags.integer)) !== 1n) throw new InvalidDer('unsupported version of a timestamp')
  const policy = oidOf(fields.next(tags.oid))
  const imprint = fieldsOf(fields.next(tags.sequence).content)
  const hash = hashAlgorithm(imprint.next(tags.sequence))
  const expected = imprint.next(tags.octetString).content
  fields.next(tags.integer) // serial number
  const time = timeOf(fields.next(tags.generalizedTime))
  const accuracyMs = accuracyIn(fields.optional(tags.sequence))
  return {
    time,
    accuracyMs: accuracyMs === 0 && policy === ids.baselinePolicy ? 1000 : accuracyMs,
    covers: bytes => hash !== undefined && createHash(hash).update(bytes).digest().equals(expected),
  }
}

const accuracyIn = (accuracy: Der | undefined): number => {
  if (!accuracy) return 0
  const fields = fieldsOf(accuracy.content)
  const numberOf = (part: Der | undefined) => (part ? Number(integerOf(part)) : 0)
  const seconds = numberOf(fields.optional(tags.integer))
  const milliseconds = numberOf(fields.optional(0x80))
  const microseconds = numberOf(fields.optional(0x81))
  if (Math.min(seconds, milliseconds, microseconds) < 0) throw new InvalidDer('it has an invalid accuracy')
  return seconds * 1000 + milliseconds + microseconds / 1000
}

/** The certificate of a `SignerInfo`, if its key signed this content. */
const signerOf = (signer: Der, content: Buffer, certificates: readonly Certificate[]): Certificate | undefined => {
  const fields = fieldsOf(signer.content)
  if (integerOf(fields.next(tags.integer)) !== 1n) return undefined // version 1: identified by issuer and serial number
  const sid = fieldsOf(fields.next(tags.sequence).content)
  const [issuer, serial] = [sid.next(tags.sequence).whole, integerOf(sid.next(tags.integer))]
  const hash = hashAlgorithm(fields.next(tags.sequence))
  const signed = fields.next(context(0))
  const algorithm = fields.next(tags.sequence)
  const signature = fields.next(tags.octetString).content
  const attributes = attributesIn(signed)
  if (!hash || !isOfContent(attributes, hash, content)) return undefined
  const named = certificateNamedIn(attributes)
  const certificate = certificates.find(
    one => one.serial === serial && one.issuer.equals(issuer) && named.isOf(one.raw),
  )
  const asSet = Buffer.concat([Uint8Array.of(tags.set), signed.whole.subarray(1)])
  if (!certificate || !verifiesSignature(certificate.publicKey, { content: asSet, algorithm, signature }, hash))
    return undefined
  const at = attributes.get(ids.signingTime)
  const time = at && timeOf(readDer(at))
  return time && (time < certificate.from || time > certificate.to) ? undefined : certificate
}

type Attributes = ReadonlyMap<string, Buffer>

/** The attributes with exactly one value; fails if one is repeated. */
const attributesIn = ({ content }: Der): Attributes => {
  const found = new Map<string, Buffer>()
  for (const attribute of fieldsOf(content).rest(tags.sequence)) {
    const fields = fieldsOf(attribute.content)
    const id = oidOf(fields.next(tags.oid))
    const values = fields.next(tags.set).content
    if (found.has(id)) throw new InvalidDer(`attribute ${id} is repeated`)
    found.set(id, values)
  }
  return found
}

const isOfContent = (attributes: Attributes, hash: string, content: Buffer): boolean => {
  const [type, digest] = [attributes.get(ids.contentType), attributes.get(ids.messageDigest)]
  if (!type || !digest || oidOf(readDer(type, tags.oid)) !== ids.timestampInfo) return false
  return createHash(hash).update(content).digest().equals(readDer(digest, tags.octetString).content)
}

/** `SigningCertificateV2` (RFC 5035): without it, another certificate of the same key could be substituted. */
const certificateNamedIn = (attributes: Attributes) => {
  const value = attributes.get(ids.signingCertificate)
  if (!value) throw new InvalidDer('the token does not name its signing certificate')
  const first = fieldsOf(fieldsOf(readDer(value, tags.sequence).content).next(tags.sequence).content).next(
    tags.sequence,
  )
  const fields = fieldsOf(first.content)
  const algorithm = fields.optional(tags.sequence)
  const hash = algorithm ? hashAlgorithm(algorithm) : 'sha256'
  const expected = fields.next(tags.octetString).content
  return { isOf: (raw: Buffer) => hash !== undefined && createHash(hash).update(raw).digest().equals(expected) }
}
