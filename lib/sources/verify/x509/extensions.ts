import { BadDer, type Der, fieldsOf, oidOf, readDer } from '../../../foundations/der/read-der.ts'
import { bare, context, tags } from '../../../foundations/der/tags.ts'

export interface Extension {
  readonly critical: boolean
  readonly value: Buffer
}

export type Extensions = ReadonlyMap<string, Extension>

/** What extensions of certificates, lists and answers are called. */
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

/** Reads `Extensions` (RFC 5280, section 4.1). Fails with BadDer, also when one comes twice. */
export const readExtensions = (list: Der): Extensions => {
  const found = new Map<string, Extension>()
  for (const { content } of fieldsOf(list.content).rest(tags.sequence)) {
    const fields = fieldsOf(content)
    const id = oidOf(fields.next(tags.oid))
    const critical = fields.optional(tags.boolean)
    const value = fields.next(tags.octetString).content
    fields.end()
    if (found.has(id)) throw new BadDer(`extension ${id} comes twice`)
    found.set(id, { critical: critical?.content[0] === 0xff, value })
  }
  return found
}

const URI = bare(6)

/** Addresses of `CRLDistributionPoints`, all of them. */
export const pointsIn = (value: Buffer): readonly string[] =>
  [...fieldsOf(readDer(value, tags.sequence).content).rest(tags.sequence)].flatMap(({ content }) => {
    const name = fieldsOf(content).optional(context(0))
    return name ? urisOfPoint(name) : []
  })

/** Addresses of a `DistributionPointName`; none when it is told in another way. */
export const urisOfPoint = (name: Der): readonly string[] => {
  const full = fieldsOf(name.content).optional(context(0))
  return full ? urisOf(full) : []
}

const urisOf = ({ content }: Der): readonly string[] =>
  [...fieldsOf(content).rest()].filter(({ tag }) => tag === URI).map(uri => uri.content.toString('latin1'))

const OCSP = '1.3.6.1.5.5.7.48.1'

/** Addresses of the services that tell whether a certificate was revoked, in `AuthorityInfoAccessSyntax`. */
export const respondersIn = (value: Buffer): readonly string[] =>
  [...fieldsOf(readDer(value, tags.sequence).content).rest(tags.sequence)].flatMap(({ content }) => {
    const fields = fieldsOf(content)
    const isOcsp = oidOf(fields.next(tags.oid)) === OCSP
    const where = fields.next()
    return isOcsp && where.tag === URI ? [where.content.toString('latin1')] : []
  })
