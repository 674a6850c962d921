import { bytesOfBits, type Der, fieldsOf, readDer, timeOf } from '../../../foundations/der/read-der.ts'
import { context, tags } from '../../../foundations/der/tags.ts'
import { type Extensions, readExtensions } from '../x509/extensions.ts'
import { RevocationUnavailable } from './revocation-unavailable.ts'

/** A certificate revocation list (RFC 5280, section 5), with its entries still encoded. */
export interface RevocationList {
  readonly issuer: Buffer
  readonly until: Date | undefined
  readonly entries: Buffer
  readonly extensions: Extensions
  readonly signed: { readonly content: Buffer; readonly algorithm: Der; readonly signature: Buffer }
}

const none = Buffer.alloc(0)

/** Fails with RevocationUnavailable or InvalidDer. */
export const readList = (bytes: Uint8Array): RevocationList => {
  const outer = fieldsOf(readDer(bytes, tags.sequence).content)
  const body = outer.next(tags.sequence)
  const algorithm = outer.next(tags.sequence)
  const signed = { content: body.whole, algorithm, signature: bytesOfBits(outer.next(tags.bitString)) }
  outer.end()
  const fields = fieldsOf(body.content)
  fields.optional(tags.integer) // version
  if (!fields.next(tags.sequence).whole.equals(algorithm.whole))
    throw new RevocationUnavailable('the CRL states two different algorithms')
  const issuer = fields.next(tags.sequence).whole
  fields.next(tags.utcTime, tags.generalizedTime)
  const until = fields.optional(tags.utcTime, tags.generalizedTime)
  const entries = fields.optional(tags.sequence)?.content ?? none
  const more = fields.optional(context(0))
  fields.end()
  return {
    ...{ issuer, signed, entries },
    until: until && timeOf(until),
    extensions: more ? readExtensions(readDer(more.content, tags.sequence)) : new Map(),
  }
}
