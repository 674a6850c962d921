import { createHash } from 'node:crypto'
import {
  bytesOfBits,
  type Der,
  fieldsOf,
  integerOf,
  oidOf,
  readDer,
  timeOf,
} from '../../../foundations/der/read-der.ts'
import { bare, context, tags } from '../../../foundations/der/tags.ts'
import { der } from '../../../foundations/der/write-der.ts'
import { type Certificate, isIssuedBy, isValidAt, purposes, purposesOf, readCertificate } from '../x509/certificate.ts'
import { extensionIds, readExtensions } from '../x509/extensions.ts'
import { identifierOf, verifiesSignature } from '../x509/signed-by.ts'
import { RevocationUnavailable } from './revocation-unavailable.ts'
import type { RevocationStatus, StatusQuery } from './status-query.ts'

const [NULL, SHA1] = [Buffer.from([0x05, 0x00]), Buffer.from('06052b0e03021a', 'hex')]

/** Public authorities accept only SHA-1 here, which is safe because it only identifies the issuer. */
const digest = (hash: string, bytes: Buffer): Buffer => createHash(hash).update(bytes).digest()

/** An `OCSPRequest` (RFC 6960, section 4.1) for one certificate. */
export const ocspRequest = ({ certificate, issuer }: Pick<StatusQuery, 'certificate' | 'issuer'>): Buffer => {
  const certId = der(
    tags.sequence,
    der(tags.sequence, SHA1, NULL),
    der(tags.octetString, digest('sha1', certificate.issuer)),
    der(tags.octetString, digest('sha1', issuer.keyBits)),
    der(tags.integer, serialBytes(certificate)),
  )
  return [tags.sequence, tags.sequence, tags.sequence, tags.sequence].reduce((inner, tag) => der(tag, inner), certId)
}

/** The serial number, as encoded in the certificate. */
const serialBytes = ({ serial }: Certificate): Buffer => {
  const hex = BigInt.asUintN(8 * 40, serial).toString(16)
  const even = hex.length % 2 === 0 ? hex : `0${hex}`
  return Buffer.from(serial >= 0n && /^[89a-f]/.test(even) ? `00${even}` : even, 'hex')
}

/**
 * The certificate's status in an `OCSPResponse` (RFC 6960, section 4.2), which must be current, and signed by the
 * issuer or a responder that the issuer certified. Fails with RevocationUnavailable or InvalidDer.
 */
export const readOcspResponse = (bytes: Uint8Array, query: StatusQuery): RevocationStatus => {
  const fields = fieldsOf(basicResponseIn(bytes).content)
  const data = fields.next(tags.sequence)
  const algorithm = fields.next(tags.sequence)
  const signed = { content: data.whole, algorithm, signature: bytesOfBits(fields.next(tags.bitString)) }
  const embedded = fields.optional(context(0))
  const signers = [query.issuer, ...(embedded ? respondersAmong(embedded, query) : [])]
  if (signers.some(({ publicKey }) => verifiesSignature(publicKey, signed))) return statusInResponse(data, query)
  throw new RevocationUnavailable('the OCSP response is not signed by an authorized responder of the issuer')
}

const BASIC = '1.3.6.1.5.5.7.48.1.1'
const errorStatuses = ['', 'malformed request', 'internal error', 'try later', '', 'signature required', 'unauthorized']

const basicResponseIn = (bytes: Uint8Array): Der => {
  const fields = fieldsOf(readDer(bytes, tags.sequence).content)
  const status = fields.next(tags.enumerated).content[0] ?? 0
  if (status !== 0)
    throw new RevocationUnavailable(`the OCSP responder returned an error: ${errorStatuses[status] || status}`)
  const inner = fieldsOf(readDer(fields.next(context(0)).content, tags.sequence).content)
  if (oidOf(inner.next(tags.oid)) !== BASIC) throw new RevocationUnavailable('the OCSP response has an unknown type')
  return readDer(inner.next(tags.octetString).content, tags.sequence)
}

const MAX_CERTIFICATES = 5

/** The certificates that the issuer made for OCSP responders. */
const respondersAmong = ({ content }: Der, { issuer, now }: StatusQuery): readonly Certificate[] =>
  [...fieldsOf(readDer(content, tags.sequence).content).rest(tags.sequence)]
    .slice(0, MAX_CERTIFICATES)
    .flatMap(({ whole }) => certificateIn(whole))
    .filter(one => purposesOf(one)?.includes(purposes.ocspSigning) && isValidAt(one, now) && isIssuedBy(one, issuer))

const certificateIn = (bytes: Buffer): readonly Certificate[] => {
  try {
    return [readCertificate(bytes)]
  } catch {
    return []
  }
}

const statusInResponse = (data: Der, query: StatusQuery): RevocationStatus => {
  const fields = fieldsOf(data.content)
  fields.optional(context(0)) // version
  fields.next(context(1), context(2)) // responder; its key identifies it
  fields.next(tags.generalizedTime)
  for (const { content } of fieldsOf(fields.next(tags.sequence).content).rest(tags.sequence)) {
    const single = fieldsOf(content)
    if (isForCertificate(single.next(tags.sequence), query)) return statusIn(single, query)
  }
  throw new RevocationUnavailable('the OCSP response is about other certificates')
}

const hashes: ReadonlyMap<string, string> = new Map([
  ['1.3.14.3.2.26', 'sha1'],
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
])

const isForCertificate = (certId: Der, { certificate, issuer }: StatusQuery): boolean => {
  const fields = fieldsOf(certId.content)
  const hash = hashes.get(identifierOf(fields.next(tags.sequence)))
  const [name, key] = [fields.next(tags.octetString).content, fields.next(tags.octetString).content]
  return (
    hash !== undefined &&
    name.equals(digest(hash, certificate.issuer)) &&
    key.equals(digest(hash, issuer.keyBits)) &&
    integerOf(fields.next(tags.integer)) === certificate.serial
  )
}

const [GOOD, REVOKED, UNKNOWN] = [bare(0), context(1), bare(2)]

/** Tolerated clock skew. */
const SKEW_MS = 5 * 60_000

const statusIn = (single: ReturnType<typeof fieldsOf>, { now, signedAt }: StatusQuery): RevocationStatus => {
  const status = single.next(GOOD, REVOKED, UNKNOWN)
  const from = timeOf(single.next(tags.generalizedTime))
  const to = single.optional(context(0))
  const more = single.optional(context(1))
  if (!to || timeOf(readDer(to.content)) < now) throw new RevocationUnavailable('expired OCSP response')
  if (from.getTime() > now.getTime() + SKEW_MS) throw new RevocationUnavailable('the OCSP response is from the future')
  if (status.tag === UNKNOWN)
    throw new RevocationUnavailable('the OCSP responder does not know the certificate', { isFinal: true })
  if (status.tag === GOOD) return 'good'
  const invalidity = more && readExtensions(readDer(more.content, tags.sequence)).get(extensionIds.invalidityDate)
  const wasGoodAtSigning = invalidity && signedAt && signedAt < timeOf(readDer(invalidity.value))
  return wasGoodAtSigning ? 'good' : 'revoked'
}
