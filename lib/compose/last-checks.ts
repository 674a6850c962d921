import type { ImageRepository } from '../foundations/kinds/image-repository.ts'
import { refKey } from '../foundations/kinds/object.ts'
import type { LastChecks } from '../hub/apiserver/scan-times.ts'
import { type Visits, visitRef } from '../platform/ports/visits.ts'
import { imageRepositoryAddress } from '../reconcile/image-repository/image-repository-address.ts'

/** When visits last scanned ImageRepositories. */
export const lastChecks =
  ({ visits }: { readonly visits: Pick<Visits, 'read'> }): LastChecks =>
  async objects => {
    const { stage, visitOf } = imageRepositoryAddress
    const names = new Set(objects.map(object => visitOf!(object as ImageRepository)))
    const records = await Promise.all([...names].map(name => visits.read(visitRef(stage, name))))
    const members = records.flatMap(record => record?.members ?? [])
    return new Map(members.flatMap(({ ref, at }) => (at === undefined ? [] : [[refKey(ref), at]])))
  }
