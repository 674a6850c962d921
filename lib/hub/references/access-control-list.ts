import type { AccessFrom } from '../../foundations/kinds/access-from.ts'
import type { Place, References, Referrer } from './references.ts'
import { namespaceOf } from './references.ts'

/** An access control list (`spec.accessFrom`) does not allow a reference. The message is Flux's. */
export class NotOnAccessList extends Error {
  constructor({ namespace, name }: Place, why: string) {
    super(`'${namespace}/${name}' can't be accessed due to ${why}`)
    this.name = 'NotOnAccessList'
  }
}

/**
 * Fails with NotOnAccessList if an object of another namespace does not allow the reference: by the labels of the referrer's Namespace, as
 * far as a selector names any. One without labels allows all.
 */
export const requireOnAccessList = async (
  referrer: Referrer,
  place: Place,
  accessFrom: AccessFrom | undefined,
  references: Pick<References, 'ownNamespace'>,
): Promise<void> => {
  const own = namespaceOf(referrer)
  if (place.namespace === own) return
  if (!accessFrom) throw new NotOnAccessList(place, "missing ACL labels on 'accessFrom'")
  const labels = (await references.ownNamespace(referrer))?.metadata.labels ?? {}
  const isAllowed = accessFrom.namespaceSelectors.some(({ matchLabels = {} }) =>
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value),
  )
  if (!isAllowed) throw new NotOnAccessList(place, `ACL labels mismatch on namespace '${own}'`)
}
