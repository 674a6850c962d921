import { fieldsOf, integerOf, readDer, timeOf } from '../../../foundations/der/read-der.ts'
import { tags } from '../../../foundations/der/tags.ts'
import { authorityOf, type Certificate, keyUsageOf, usages } from '../x509/certificate.ts'
import { distributionPointUrls, type Extensions, extensionIds, readExtensions } from '../x509/extensions.ts'
import { verifiesSignature } from '../x509/signed-by.ts'
import type { RevocationList } from './revocation-list.ts'
import { RevocationUnavailable } from './revocation-unavailable.ts'
import type { RevocationStatus, StatusQuery } from './status-query.ts'

const NUMBER = '2.5.29.20'

/** Requires a list that the issuer signed, and that is current. Fails with RevocationUnavailable or InvalidDer. */
export const requireList = (list: RevocationList, issuer: Certificate, now: Date): void => {
  const usage = keyUsageOf(issuer)
  const mayList = authorityOf(issuer) && (!usage || usage[usages.crlSign])
  if (!mayList || !list.issuer.equals(issuer.subject) || !verifiesSignature(issuer.publicKey, list.signed)) {
    throw new RevocationUnavailable(`CRL is not signed by CA ${issuer.name}`)
  }
  if (!list.until) throw new RevocationUnavailable('CRL NextUpdate is not set')
  if (list.until < now)
    throw new RevocationUnavailable(`expired CRL: its next update was due at ${list.until.toISOString()}`)
  const known: readonly string[] = [extensionIds.issuingPoint, extensionIds.deltaIndicator]
  const unknown = [...list.extensions].find(([id, { critical }]) => critical && !known.includes(id))
  if (unknown) throw new RevocationUnavailable(`unsupported critical extension found in CRL: ${unknown[0]}`)
}

/**
 * Requires a complete list. Stricter than notation: delta lists are signed by the same key. Fails with
 * RevocationUnavailable.
 */
export const requireBase = ({ extensions }: RevocationList): void => {
  if (extensions.has(extensionIds.deltaIndicator)) throw new RevocationUnavailable('the CRL is a delta CRL')
}

/** Requires a delta list for a base list (section 5.2.4). Fails with RevocationUnavailable or InvalidDer. */
export const requireDelta = (delta: RevocationList, base: RevocationList): void => {
  const indicator = delta.extensions.get(extensionIds.deltaIndicator)
  if (!indicator) throw new RevocationUnavailable('delta CRL indicator extension is not found')
  const number = numberOf(base)
  if (numberOf(delta) <= number) throw new RevocationUnavailable('the delta CRL is not newer than the base CRL')
  if (integerOf(readDer(indicator.value, tags.integer)) > number)
    throw new RevocationUnavailable('the delta CRL is for a newer base CRL')
}

const numberOf = ({ extensions }: RevocationList): bigint => {
  const number = extensions.get(NUMBER)
  if (!number) throw new RevocationUnavailable('a CRL has no number')
  return integerOf(readDer(number.value, tags.integer))
}

/** The URLs of delta lists. */
export const deltaListUrls = ({ extensions }: RevocationList | Certificate): readonly string[] => {
  const freshest = extensions.get(extensionIds.freshestCrl)
  return freshest ? distributionPointUrls(freshest.value) : []
}

/** Reasons of entries that later ones may revoke. */
const [HOLD, REMOVED] = [6, 8]

/**
 * The status of a certificate in verified lists: a base and optionally a delta. Fails with RevocationUnavailable or
 * InvalidDer.
 */
export const statusInLists = (lists: readonly RevocationList[], query: StatusQuery): RevocationStatus => {
  let latest: Entry | undefined
  for (const list of lists) {
    for (const entry of entriesOf(list, query.certificate.serial)) {
      const { invalidSince, reason } = entry
      if (query.signedAt && invalidSince && query.signedAt < invalidSince) return 'good'
      if (reason !== HOLD && reason !== REMOVED) return 'revoked'
      if (!latest || latest.revokedAt <= entry.revokedAt) latest = entry
    }
  }
  return latest?.reason === HOLD ? 'revoked' : 'good'
}

interface Entry {
  readonly revokedAt: Date
  readonly reason: number
  readonly invalidSince: Date | undefined
}

function* entriesOf({ entries }: RevocationList, serial: bigint): Generator<Entry> {
  for (const { content } of fieldsOf(entries).rest(tags.sequence)) {
    const fields = fieldsOf(content)
    if (integerOf(fields.next(tags.integer)) === serial) yield entryIn(fields)
  }
}

const REASON = '2.5.29.21'

const entryIn = (fields: ReturnType<typeof fieldsOf>): Entry => {
  const revokedAt = timeOf(fields.next(tags.utcTime, tags.generalizedTime))
  const more = fields.optional(tags.sequence)
  const extensions: Extensions = more ? readExtensions(more) : new Map()
  const reason = extensions.get(REASON)
  const invalidSince = extensions.get(extensionIds.invalidityDate)
  const known: readonly string[] = [REASON, extensionIds.invalidityDate]
  const unknown = [...extensions].find(([id, { critical }]) => critical && !known.includes(id))
  if (unknown) throw new RevocationUnavailable(`unsupported critical extension found in CRL: ${unknown[0]}`)
  return {
    revokedAt,
    reason: reason ? (readDer(reason.value, tags.enumerated).content[0] ?? 0) : 0,
    invalidSince: invalidSince && timeOf(readDer(invalidSince.value)),
  }
}
