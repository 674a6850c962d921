import type { HeadPlan } from '../../foundations/fleet/head-plan.ts'
import type { ReleaseAtHead } from '../../foundations/fleet/release-at-head.ts'
import { type HelmRelease, helmRelease } from '../../foundations/kinds/helm-release.ts'
import { refKey, refOf } from '../../foundations/kinds/object.ts'
import type { Awaited, PullRequest } from '../../foundations/kinds/pull-request.ts'
import { once } from '../../foundations/rules/once.ts'
import { ownAccess } from '../../foundations/rules/runner-access.ts'
import { everyNamespace, type References } from '../../hub/references/references.ts'
import { isOrderable, type ReleaseWork } from '../../hub/runners/orders.ts'
import type { KustomizationPlanner } from '../kustomization/plan-head.ts'
import type { FetchedHead } from './fetch-heads.ts'
import { type OrderedUnit, type RunnerPlanPorts, refusalOfHeads } from './plans-of-runners.ts'
import { releasesAtHead } from './releases-at-head.ts'
import type { KustomizationAtHead } from './units-at-heads.ts'

interface Ports extends RunnerPlanPorts {
  readonly references: References
  readonly kustomizations: Pick<KustomizationPlanner, 'onHub' | 'openBase'>
}

interface Proposal {
  readonly request: PullRequest
  readonly awaited: Awaited
  readonly heads: readonly FetchedHead[]
  readonly units: readonly KustomizationAtHead[]
}

/**
 * The HelmReleases of which runners make the plans, for `plansOfRunners`. They follow from builds of what applies to the hub, which needs no cluster: that is done
 * for the first pass of a head, and again only if an order has to be placed later: `awaited` has those that the first pass has found.
 */
export const releasesOfRunners = async (
  proposal: Proposal,
  ports: Ports,
  signal: AbortSignal,
): Promise<readonly OrderedUnit[]> => {
  const find = once(() => findReleases(proposal, ports, signal))
  const workOf = async (unit: HelmRelease): Promise<ReleaseWork | undefined> => {
    const found = (await find()).find(one => refKey(refOf(one.unit)) === refKey(refOf(unit)))
    return found && workFor(found)
  }
  const { request, awaited } = proposal
  const releases = awaited.releases
    ? await readReleases(request, awaited.releases, ports.references)
    : (await find()).map(({ unit }) => unit)
  return releases.map(unit => ({ unit, work: () => workOf(unit) }))
}

/** As the status of the pull request has them until all plans are there. */
export const awaitedReleases = (releases: readonly OrderedUnit[]): NonNullable<Awaited['releases']> =>
  releases.map(({ unit: { metadata } }) => ({ namespace: metadata.namespace ?? '', name: metadata.name }))

/** A release of a runner that got no order for it. */
export const withoutOrder = async (
  release: ReleaseAtHead,
  { references }: Pick<RunnerPlanPorts, 'references'>,
): Promise<HeadPlan> => {
  const access = ownAccess(release.unit)
  const refusal = access && (await refusalOfHeads(release.unit, access, references))
  if (refusal) return refusal
  const open = mayBeOrdered(release)
    ? 'its runner got no order to plan it'
    : 'it is too large to be planned by a runner'
  return { type: 'skipped', open }
}

const findReleases = async (
  { heads, units }: Proposal,
  ports: Ports,
  signal: AbortSignal,
): Promise<readonly ReleaseAtHead[]> => {
  if (!(await ports.areTaken('release'))) return []
  const planned = []
  for (const { unit, artifact } of units) {
    const isElsewhere = await ports.isElsewhere(unit)
    planned.push({ unit, onHub: isElsewhere ? undefined : await ports.kustomizations.onHub(unit, artifact, signal) })
  }
  const found: ReleaseAtHead[] = []
  for (const release of await releasesAtHead(heads, planned, ports, signal)) {
    const access = ownAccess(release.unit)
    if ('type' in release || !access || !(await ports.isElsewhere(release.unit)) || !mayBeOrdered(release)) continue
    if (!(await refusalOfHeads(release.unit, access, ports.references))) found.push(release)
  }
  return found
}

/** The runner has the unit, and need not know more of the chart. */
const workFor = ({ unit: _, chart, ...release }: ReleaseAtHead): ReleaseWork => {
  const { namespace, name, generation } = chart?.now.metadata ?? { name: '' }
  const place = { ...(namespace && { namespace }), name, ...(generation !== undefined && { generation }) }
  const shown = chart && { ...chart, now: { ...chart.now, metadata: place } }
  return { type: 'release', release: { ...release, ...(shown && { chart: shown }) } }
}

const mayBeOrdered = (release: ReleaseAtHead): boolean => isOrderable(workFor(release).release)

const readReleases = async (
  request: PullRequest,
  places: NonNullable<Awaited['releases']>,
  references: Pick<References, 'anywhere'>,
): Promise<readonly HelmRelease[]> => {
  const read = places.map(place => references.anywhere<HelmRelease>(request, helmRelease, place, everyNamespace))
  return (await Promise.all(read)).filter(unit => unit !== undefined)
}
