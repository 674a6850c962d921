import { createHash } from 'node:crypto'
import { BadDer, type Der, fieldsOf, integerOf, oidOf, readDer, timeOf } from '../../../foundations/der/read-der.ts'
import { context, tags } from '../../../foundations/der/tags.ts'
import { toDer } from './ber.ts'
import { type Certificate, readCertificate } from './certificate.ts'
import { hashOf, verifiesSignature } from './signed-by.ts'

/** A token of a time-stamping authority (RFC 3161): signed data (RFC 5652) that tells when a hash was seen. */
export interface TimestampToken {
  readonly info: TimestampInfo
  /** All that came along. */
  readonly certificates: readonly Certificate[]
  /** Those whose key made a signature of the token, by which the token also names them. Nobody says who they are. */
  readonly signers: readonly Certificate[]
}

export interface TimestampInfo {
  readonly time: Date
  /** How far the time may be off, in milliseconds. */
  readonly accuracyMs: number
  /** Whether the time is that of these bytes. */
  isOf(content: Uint8Array): boolean
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

/** Reads `TimeStampToken`, in DER or BER. Fails with BadDer, or with an error of node:crypto. */
export const readToken = (bytes: Uint8Array): TimestampToken => {
  const message = fieldsOf(readDer(toDer(bytes), tags.sequence).content)
  requireId(message.next(tags.oid), ids.signedData)
  const data = fieldsOf(readDer(message.next(context(0)).content, tags.sequence).content)
  if (integerOf(data.next(tags.integer)) !== 3n) throw new BadDer('unsupported version of signed data')
  data.next(tags.set)
  const encapsulated = fieldsOf(data.next(tags.sequence).content)
  requireId(encapsulated.next(tags.oid), ids.timestampInfo)
  const content = readDer(encapsulated.next(context(0)).content, tags.octetString).content
  const list = data.optional(context(0))
  const found = list ? [...fieldsOf(list.content).rest(tags.sequence)].slice(0, MAX_CERTIFICATES) : []
  const certificates = found.map(({ whole }) => readCertificate(whole))
  data.optional(context(1)) // lists of revoked certificates
  const signers = [...fieldsOf(data.next(tags.set).content).rest(tags.sequence)]
    .slice(0, MAX_CERTIFICATES)
    .flatMap(signer => signerOf(signer, content, certificates) ?? [])
  return { info: infoIn(content), certificates, signers }
}

const requireId = (found: Der, expected: string): void => {
  if (oidOf(found) !== expected) throw new BadDer('it is not a token of a time-stamping authority')
}

const infoIn = (content: Buffer): TimestampInfo => {
  const fields = fieldsOf(readDer(content, tags.sequence).content)
  if (integerOf(fields.next(tags.integer)) !== 1n) throw new BadDer('unsupported version of a timestamp')
  const policy = oidOf(fields.next(tags.oid))
  const imprint = fieldsOf(fields.next(tags.sequence).content)
  const hash = hashOf(imprint.next(tags.sequence))
  const expected = imprint.next(tags.octetString).content
  fields.next(tags.integer) // serial number
  const time = timeOf(fields.next(tags.generalizedTime))
  const accuracyMs = accuracyIn(fields.optional(tags.sequence))
  return {
    time,
    accuracyMs: accuracyMs === 0 && policy === ids.baselinePolicy ? 1000 : accuracyMs,
    isOf: bytes => hash !== undefined && createHash(hash).update(bytes).digest().equals(expected),
  }
}

const accuracyIn = (accuracy: Der | undefined): number => {
  if (!accuracy) return 0
  const fields = fieldsOf(accuracy.content)
  const numberOf = (part: Der | undefined) => (part ? Number(integerOf(part)) : 0)
  const seconds = numberOf(fields.optional(tags.integer))
  const milliseconds = numberOf(fields.optional(0x80))
  const microseconds = numberOf(fields.optional(0x81))
  if (Math.min(seconds, milliseconds, microseconds) < 0) throw new BadDer('an accuracy is none')
  return seconds * 1000 + milliseconds + microseconds / 1000
}

/** The certificate that a `SignerInfo` is of, provided that its key made the signature of these contents. */
const signerOf = (signer: Der, content: Buffer, certificates: readonly Certificate[]): Certificate | undefined => {
  const fields = fieldsOf(signer.content)
  if (integerOf(fields.next(tags.integer)) !== 1n) return undefined // known by issuer and number
  const sid = fieldsOf(fields.next(tags.sequence).content)
  const [issuer, serial] = [sid.next(tags.sequence).whole, integerOf(sid.next(tags.integer))]
  const hash = hashOf(fields.next(tags.sequence))
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

/** Those that have one value, each once. */
const attributesIn = ({ content }: Der): Attributes => {
  const found = new Map<string, Buffer>()
  for (const attribute of fieldsOf(content).rest(tags.sequence)) {
    const fields = fieldsOf(attribute.content)
    const id = oidOf(fields.next(tags.oid))
    const values = fields.next(tags.set).content
    if (found.has(id)) throw new BadDer(`attribute ${id} comes twice`)
    found.set(id, values)
  }
  return found
}

const isOfContent = (attributes: Attributes, hash: string, content: Buffer): boolean => {
  const [type, digest] = [attributes.get(ids.contentType), attributes.get(ids.messageDigest)]
  if (!type || !digest || oidOf(readDer(type, tags.oid)) !== ids.timestampInfo) return false
  return createHash(hash).update(content).digest().equals(readDer(digest, tags.octetString).content)
}

/** What `SigningCertificateV2` (RFC 5035) says, without which a certificate could be taken for another of the same key. */
const certificateNamedIn = (attributes: Attributes) => {
  const value = attributes.get(ids.signingCertificate)
  if (!value) throw new BadDer('the token does not name the certificate that it is signed with')
  const first = fieldsOf(fieldsOf(readDer(value, tags.sequence).content).next(tags.sequence).content).next(
    tags.sequence,
  )
  const fields = fieldsOf(first.content)
  const algorithm = fields.optional(tags.sequence)
  const hash = algorithm ? hashOf(algorithm) : 'sha256'
  const expected = fields.next(tags.octetString).content
  return { isOf: (raw: Buffer) => hash !== undefined && createHash(hash).update(raw).digest().equals(expected) }
}
