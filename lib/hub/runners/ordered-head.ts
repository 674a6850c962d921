import { type Artifact, blobNameOf } from '../../foundations/kinds/artifact.ts'
import { refKey, refOf } from '../../foundations/kinds/object.ts'
import type { Readable } from './copy.ts'
import type { Order, OrderedWork } from './orders.ts'

/** The artifact of this name, if an open order is about it, and the unit of that order is the runner's own. */
export const headNamed = (
  { own }: Pick<Readable, 'own'>,
  orders: readonly Order[],
  name: string,
): Artifact | undefined => {
  for (const { ref, uid, work } of orders) {
    const artifact = artifactsOf(work).find(one => blobNameOf(one) === name)
    if (artifact && own.some(unit => unit.metadata.uid === uid && refKey(refOf(unit)) === refKey(ref))) return artifact
  }
  return undefined
}

/** What its plan is made of, and is not in the copy of a runner. */
const artifactsOf = (work: OrderedWork): readonly Artifact[] => {
  if (work.type === 'head') return [work.artifact]
  const { chart } = work.type === 'release' ? work.release : {}
  return chart ? [chart.base, chart.head] : []
}
