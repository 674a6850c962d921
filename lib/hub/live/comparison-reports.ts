/** How the cluster of a unit differs from what the unit applies, compared on demand, at `/fleet/live/diff`. */
import type { Compared } from '../../foundations/fleet/comparison.ts'
import { describeRef, type ObjectRef, refOf } from '../../foundations/kinds/object.ts'
import { plan } from '../../foundations/kinds/plan.ts'
import type { FleetReports } from '../apiserver/fleet/fleet-reports.ts'
import { visibleUnit } from '../apiserver/fleet/visible-unit.ts'
import { requireAllowed } from '../apiserver/require-allowed.ts'
import { ApiError, type Hub } from '../store/hub.ts'
import { readParameters } from './live-paths.ts'

/** Compares a unit, with its own identity on the cluster. */
export type Compare = (unit: ObjectRef) => Promise<Compared>

interface ComparisonPorts {
  readonly hub: Pick<Hub, 'get'>
  /** Of Kustomizations and HelmReleases. */
  readonly compare: Compare
  /** Of ResourceSets, whose code is elsewhere on AWS. */
  readonly compareSet: Compare
}

const path = '/fleet/live/diff'

/**
 * For callers who may get the unit and list Plans in its namespace: a comparison shows what the plan of an apply would show, and is made as that is. Fails
 * with Conflict if the unit can't be compared.
 */
export const comparisonReports =
  ({ hub, compare, compareSet }: ComparisonPorts): FleetReports =>
  async (url, viewer) => {
    if (url.pathname !== path) return undefined
    const given = readParameters(url, ['unit'])
    const unit = await visibleUnit(hub, viewer, given('unit'))
    const { kind, namespace } = refOf(unit)
    const { group, plural, versions } = plan
    const resource = { group, version: versions[0]!.name, resource: plural, subresource: '', namespace, name: '' }
    await requireAllowed({ user: viewer.user, verb: 'list', path: '', resource }, viewer.authorize)
    const found = await (kind === 'ResourceSet' ? compareSet : compare)(refOf(unit))
    if (!('notCompared' in found)) return found
    throw new ApiError(409, 'Conflict', `${describeRef(refOf(unit))} can't be compared: ${found.notCompared}`)
  }
