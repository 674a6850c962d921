import { fieldsOf, readDer } from '../../../foundations/der/read-der.ts'
import { bare, context, tags } from '../../../foundations/der/tags.ts'
import { authorityOf, type Certificate } from '../x509/certificate.ts'
import { distributionPointNameUrls, distributionPointUrls, extensionIds } from '../x509/extensions.ts'
import type { RevocationList } from './revocation-list.ts'
import { RevocationUnavailable } from './revocation-unavailable.ts'

const flags = { users: bare(1), authorities: bare(2), indirect: bare(4), attributes: bare(5) } as const

/**
 * Requires that the list covers a certificate (RFC 5280, section 5.2.5). Stricter than notation: an attacker on the
 * network could send another part of a partitioned list. Fails with RevocationUnavailable or InvalidDer.
 */
export const requireScope = ({ extensions }: RevocationList, certificate: Certificate): void => {
  const point = extensions.get(extensionIds.issuingPoint)
  if (!point) return
  const fields = [...fieldsOf(readDer(point.value, tags.sequence).content).rest()]
  const isSet = (flag: number) => fields.some(({ tag, content }) => tag === flag && content[0] !== 0)
  if (isSet(flags.indirect)) throw new RevocationUnavailable('indirect CRLs are not supported')
  const isAuthority = authorityOf(certificate) !== undefined
  if (isSet(flags.attributes) || isSet(isAuthority ? flags.users : flags.authorities)) {
    throw new RevocationUnavailable('the CRL is for certificates of another kind')
  }
  const name = fields.find(({ tag }) => tag === context(0))
  const own = name ? distributionPointNameUrls(name) : []
  const points = certificate.extensions.get(extensionIds.crlPoints)
  const named = points ? distributionPointUrls(points.value) : []
  if (own.length > 0 && !own.some(uri => named.includes(uri)))
    throw new RevocationUnavailable('the CRL is for another distribution point')
}
