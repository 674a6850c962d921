import type { Units } from '../../bed/aws/simulated-dynamo.ts'
import type { UnitsBySort } from './measured.ts'
import type { SimulatedFleet } from './simulated-fleet.ts'

/** What the table bills for a piece of work. */
export async function unitsBySort(
  fleet: Pick<SimulatedFleet, 'dynamo'>,
  work: () => Promise<void>,
): Promise<UnitsBySort> {
  const bySort = new Map<string, Units>()
  fleet.dynamo.onUnits = ({ partition, read, write }) => {
    const sort = sortOf(partition)
    const before = bySort.get(sort) ?? { read: 0, write: 0 }
    bySort.set(sort, { read: before.read + read, write: before.write + write })
  }
  await work()
  fleet.dynamo.onUnits = undefined
  return bySort
}

/** `head#Kustomization.kustomize.toolkit.fluxcd.io#3` is the sort `head Kustomization`. */
const sortOf = (partition: string): string => {
  const [what, of] = partition.split('#')
  return ['due', 'overflow', 'referrers', 'runs', 'usage'].includes(what!) ? what! : `${what} ${of?.split('.')[0]}`
}
