import { type Der, fieldsOf, InvalidDer, oidOf, readDer } from '../../../foundations/der/read-der.ts'
import { bare, context, tags } from '../../../foundations/der/tags.ts'

export interface Extension {
  readonly critical: boolean
  readonly value: Buffer
}

export type Extensions = ReadonlyMap<string, Extension>

/** Object identifiers of extensions of certificates, lists and responses. */
export const extensionIds = {
  subjectAltName: '2.5.29.17',
  keyUsage: '2.5.29.15',
  basicConstraints: '2.5.29.19',
  invalidityDate: '2.5.29.24',
  deltaIndicator: '2.5.29.27',
  issuingPoint: '2.5.29.28',
  nameConstraints: '2.5.29.30',
  crlPoints: '2.5.29.31',
  extendedKeyUsage: '2.5.29.37',
  freshestCrl: '2.5.29.46',
  authorityAccess: '1.3.6.1.5.5.7.1.1',
} as const

/** Reads `Extensions` (RFC 5280, section 4.1). Fails with InvalidDer, also if one is repeated. */
export const readExtensions = (list: Der): Extensions => {
  const found = new Map<string, Extension>()
  for (const { content } of fieldsOf(list.content).rest(tags.sequence)) {
    const fields = fieldsOf(content)
    const id = oidOf(fields.next(tags.oid))
    const critical = fields.optional(tags.boolean)
    const value = fields.next(tags.octetString).content
    fields.end()
    if (found.has(id)) throw new InvalidDer(`extension ${id} is repeated`)
    found.set(id, { critical: critical?.content[0] === 0xff, value })
  }
  return found
}

const URI = bare(6)

/** All URLs in `CRLDistributionPoints`. */
export const distributionPointUrls = (value: Buffer): readonly string[] =>
  [...fieldsOf(readDer(value, tags.sequence).content).rest(tags.sequence)].flatMap(({ content }) => {
    const name = fieldsOf(content).optional(context(0))
    return name ? distributionPointNameUrls(name) : []
  })

/** The URLs in a `DistributionPointName`; empty if it has another form. */
export const distributionPointNameUrls = (name: Der): readonly string[] => {
  const full = fieldsOf(name.content).optional(context(0))
  return full ? urisOf(full) : []
}

const urisOf = ({ content }: Der): readonly string[] =>
  [...fieldsOf(content).rest()].filter(({ tag }) => tag === URI).map(uri => uri.content.toString('latin1'))

const OCSP = '1.3.6.1.5.5.7.48.1'

/** The URLs of OCSP responders in `AuthorityInfoAccessSyntax`. */
export const ocspResponderUrls = (value: Buffer): readonly string[] =>
  [...fieldsOf(readDer(value, tags.sequence).content).rest(tags.sequence)].flatMap(({ content }) => {
    const fields = fieldsOf(content)
    const isOcsp = oidOf(fields.next(tags.oid)) === OCSP
    const where = fields.next()
    return isOcsp && where.tag === URI ? [where.content.toString('latin1')] : []
  })
