import { type KeyObject, X509Certificate } from 'node:crypto'
import { bytesOfBits, type Der, fieldsOf, integerOf, oidOf, readDer } from '../../../foundations/der/read-der.ts'
import { context, tags } from '../../../foundations/der/tags.ts'
import { type Extensions, extensionIds, readExtensions } from './extensions.ts'
import { verifiesSignature } from './signed-by.ts'

/** A certificate, with fields that node:crypto does not expose. */
export interface Certificate {
  readonly raw: Buffer
  readonly serial: bigint
  /** DER, for comparison byte by byte. */
  readonly issuer: Buffer
  readonly subject: Buffer
  readonly from: Date
  readonly to: Date
  readonly publicKey: KeyObject
  /** The bits of the key, without its algorithm. */
  readonly keyBits: Buffer
  readonly extensions: Extensions
  /** The signed content, the algorithm, and the signature. */
  readonly signed: Signed
  /** For messages: `CN=a,O=b`. */
  readonly name: string
  /** OpenSSL's view. */
  readonly x509: X509Certificate
}

export interface Signed {
  readonly content: Buffer
  readonly algorithm: Der
  readonly signature: Buffer
}

/** Reads `Certificate` (RFC 5280, section 4.1) in DER. Fails with InvalidDer, or with an error of node:crypto. */
export const readCertificate = (bytes: Uint8Array): Certificate => {
  const x509 = new X509Certificate(bytes)
  const { publicKey, raw } = x509
  const outer = fieldsOf(readDer(raw, tags.sequence).content)
  const body = outer.next(tags.sequence)
  const signed = { content: body.whole, algorithm: outer.next(tags.sequence), signature: bytesOfBits(outer.next()) }
  const fields = fieldsOf(body.content)
  fields.optional(context(0)) // version
  const serial = integerOf(fields.next(tags.integer))
  fields.next(tags.sequence) // algorithm
  const issuer = fields.next(tags.sequence).whole
  fields.next(tags.sequence) // validity
  const subject = fields.next(tags.sequence).whole
  const keyInfo = fieldsOf(fields.next(tags.sequence).content)
  keyInfo.next(tags.sequence)
  const keyBits = bytesOfBits(keyInfo.next(tags.bitString))
  const list = [...fields.rest()].find(({ tag }) => tag === context(3))
  return {
    ...{ raw, serial, issuer, subject, publicKey, keyBits, signed, x509 },
    from: x509.validFromDate,
    to: x509.validToDate,
    extensions: list ? readExtensions(readDer(list.content, tags.sequence)) : new Map(),
    name: oneLine(x509.subject ?? ''),
  }
}

/** Converts OpenSSL's multi-line name to Go's format. */
const oneLine = (subject: string): string => subject.split('\n').reverse().join(',')

/**
 * Whether the certificate was signed by another, whose subject is its issuer. Does not check whether that one may issue
 * certificates.
 */
export const isIssuedBy = (certificate: Certificate, { subject, publicKey }: Certificate): boolean =>
  certificate.issuer.equals(subject) && verifiesSignature(publicKey, certificate.signed)

export const isValidAt = ({ from, to }: Certificate, time: Date): boolean => from <= time && time <= to

interface Authority {
  /** Maximum number of intermediate authorities below it; undefined for no limit. */
  readonly pathLength: bigint | undefined
}

/** The basic constraints; undefined if the certificate is not an authority. */
export const authorityOf = ({ extensions }: Certificate): Authority | undefined => {
  const extension = extensions.get(extensionIds.basicConstraints)
  if (!extension) return undefined
  const fields = fieldsOf(readDer(extension.value, tags.sequence).content)
  if (fields.optional(tags.boolean)?.content[0] !== 0xff) return undefined
  const length = fields.optional(tags.integer)
  return { pathLength: length && integerOf(length) }
}

/** Bits of the key usage, in the order of RFC 5280; undefined if the certificate does not restrict it. */
export const keyUsageOf = ({ extensions }: Certificate): readonly boolean[] | undefined => {
  const extension = extensions.get(extensionIds.keyUsage)
  if (!extension) return undefined
  const [, ...bytes] = readDer(extension.value, tags.bitString).content
  return bytes.flatMap(byte => [7, 6, 5, 4, 3, 2, 1, 0].map(bit => ((byte >> bit) & 1) === 1))
}

/** Indexes into the result of `keyUsageOf`. */
export const usages = { digitalSignature: 0, contentCommitment: 1, certSign: 5, crlSign: 6 } as const

/** Purposes (extended key usage) by object identifier; undefined if the certificate does not restrict them. */
export const purposesOf = ({ extensions }: Certificate): readonly string[] | undefined => {
  const extension = extensions.get(extensionIds.extendedKeyUsage)
  return extension && [...fieldsOf(readDer(extension.value, tags.sequence).content).rest(tags.oid)].map(oidOf)
}

export const purposes = {
  any: '2.5.29.37.0',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  codeSigning: '1.3.6.1.5.5.7.3.3',
  emailProtection: '1.3.6.1.5.5.7.3.4',
  timeStamping: '1.3.6.1.5.5.7.3.8',
  ocspSigning: '1.3.6.1.5.5.7.3.9',
} as const
