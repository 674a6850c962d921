import { type Artifact, blobNameOf } from '../../foundations/kinds/artifact.ts'
import { refKey, refOf } from '../../foundations/kinds/object.ts'
import type { Readable } from './copy.ts'
import type { Order } from './orders.ts'

/** The artifact of this name, if it is the head that an open order is about, and the unit of that order is the runner's own. */
export const headNamed = (
  { own }: Pick<Readable, 'own'>,
  orders: readonly Order[],
  name: string,
): Artifact | undefined => {
  for (const { ref, uid, work } of orders) {
    if (work.type !== 'head' || blobNameOf(work.artifact) !== name) continue
    if (own.some(unit => unit.metadata.uid === uid && refKey(refOf(unit)) === refKey(ref))) return work.artifact
  }
  return undefined
}
