/** The places of the navigation. Pure. */
import type { FleetCounts } from '../../foundations/fleet/fleet-counts.ts'
import type { Route } from './route.ts'

export interface Place {
  readonly id: string
  readonly href: string
  readonly text: string
  /** `g` and this letter go there. */
  readonly key: string
  /** How much of it there is stands beside it. */
  readonly counted?: keyof FleetCounts
  /** The first of a group of its own. */
  readonly isApart?: boolean
}

const fleet: Place = { id: 'fleet', href: '/', text: 'Fleet', key: 'f' }
const units: Place = { id: 'units', href: '/units', text: 'Units', key: 'u', counted: 'units' }
const sources: Place = { id: 'sources', href: '/sources', text: 'Sources', key: 's', counted: 'sources' }
const clusters: Place = { id: 'clusters', href: '/clusters', text: 'Clusters', key: 'c', counted: 'clusters' }
const plans: Place = { id: 'plans', href: '/plans', text: 'Plans', key: 'p' }
const rollouts: Place = { id: 'rollouts', href: '/rollouts', text: 'Rollouts', key: 'o', counted: 'rollouts' }
const runs: Place = { id: 'runs', href: '/runs', text: 'Runs', key: 'r' }
const audit: Place = { id: 'audit', href: '/audit', text: 'Audit log', key: 'a' }
const resourceSets: Place = {
  id: 'resource-sets',
  href: '/units?kind=ResourceSet',
  text: 'ResourceSets',
  key: 'e',
  isApart: true,
}
const receivers: Place = { id: 'receivers', href: '/receivers', text: 'Receivers', key: 'w' }

export const places: readonly Place[] = [
  ...[fleet, units, sources, clusters, plans, rollouts, runs, audit, resourceSets, receivers],
]

/** Where objects of a kind are listed. */
export const placeOfKind = (kind: string): Place => {
  switch (kind) {
    case 'Kustomization':
    case 'HelmRelease':
    case 'ResourceSet':
      return units
    case 'Cluster':
      return clusters
    case 'Plan':
      return plans
    case 'Rollout':
    case 'RolloutRun':
      return rollouts
    case 'Receiver':
      return receivers
    default:
      return sources
  }
}

/** The place that is marked as the current one. */
export const placeOf = (route: Route, query: Readonly<Record<string, string>>): string => {
  if (route.page === 'run') return runs.id
  if (route.page === 'moment') return audit.id
  if (route.page === 'object') return placeOfKind(route.kind).id
  return route.page === units.id && query.kind === 'ResourceSet' ? resourceSets.id : route.page
}
