import type { HeadPlan } from '../../foundations/fleet/head-plan.ts'
import { type KubernetesObject, refKey, refOf } from '../../foundations/kinds/object.ts'
import type { PullRequest } from '../../foundations/kinds/pull-request.ts'
import type { References } from '../../hub/references/references.ts'
import type { PlanRelease } from '../helm-release/plan-head.ts'
import type { KustomizationPlanner } from '../kustomization/plan-head.ts'
import type { IsElsewhere } from '../runtime/elsewhere.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { dryPasses } from './dry-pass.ts'
import type { FetchedHead } from './fetch-heads.ts'
import { type PossibleRelease, releasesAtHead, type UnitAtHead } from './releases-at-head.ts'
import { withoutOrder } from './releases-of-runners.ts'
import type { KustomizationAtHead } from './units-at-heads.ts'

export interface PlanUnitPorts {
  readonly references: References
  readonly isElsewhere: IsElsewhere
  readonly kustomizations: KustomizationPlanner
  readonly planRelease: PlanRelease
  readonly clock: { now(): number }
}

/** A unit that a pull request reaches, and what would change. */
export interface PlannedUnit {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly plan: Exclude<HeadPlan, { readonly type: 'untouched' }>
}

export interface PlannedUnits {
  readonly reached: readonly PlannedUnit[]
  /** Units that were not planned, as the limits were reached. */
  readonly left: number
}

export interface UnitsToPlan {
  readonly units: readonly KustomizationAtHead[]
  /** What runners have planned, by key of the unit. */
  readonly ofRunners: ReadonlyMap<string, HeadPlan>
}

/** The limits of one pass: units that are built, and milliseconds until no more are begun. */
export const limits = { units: 500, reached: 200, beginMs: 6 * 60_000, atOnce: 4 }

/**
 * Plans the head for units of its sources, on their clusters, with dry runs that share what they read: Kustomizations first, as they may change
 * HelmReleases.
 */
export const planUnits = async (
  heads: readonly FetchedHead[],
  { units, ofRunners }: UnitsToPlan,
  pass: Pass<PullRequest>,
  { references, isElsewhere, kustomizations, planRelease, clock }: PlanUnitPorts,
): Promise<PlannedUnits> => {
  const until = clock.now() + limits.beginMs
  const dry = dryPasses(pass)
  const reached: PlannedUnit[] = []
  let left = 0
  let begun = 0
  const planAll = async <T>(
    units: readonly T[],
    unitOf: (one: T) => KubernetesObject,
    plan: (one: T) => Promise<HeadPlan>,
  ) => {
    const queue = [...units]
    const work = async (): Promise<void> => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        if (begun >= limits.units || clock.now() > until || reached.length >= limits.reached) {
          left++
          continue
        }
        begun++
        const unit = unitOf(next)
        const made = await plan(next)
        if (made.type === 'untouched') continue
        const { kind, namespace, name } = refOf(unit)
        reached.push({ kind, namespace, name, plan: made })
      }
    }
    await Promise.all(Array.from({ length: limits.atOnce }, work))
  }
  const planned: UnitAtHead[] = []
  const ofRunner = (unit: KubernetesObject) => ofRunners.get(refKey(refOf(unit)))
  const planUnit = async ({ unit, artifact }: KustomizationAtHead) => {
    const isOfRunner = await isElsewhere(unit)
    const plan = isOfRunner ? (ofRunner(unit) ?? notOrdered) : await kustomizations.plan(unit, artifact, dry())
    planned.push({ unit, onHub: !isOfRunner && plan.type === 'planned' ? plan.onHub : undefined })
    return plan
  }
  const planPossible = async (release: PossibleRelease): Promise<HeadPlan> => {
    if ('type' in release) return release
    if (!(await isElsewhere(release.unit))) return planRelease(release, dry())
    return ofRunner(release.unit) ?? withoutOrder(release, { references })
  }
  await planAll(units, ({ unit }) => unit, planUnit)
  const releases = await releasesAtHead(heads, planned, { references, kustomizations }, pass.signal)
  await planAll(releases, ({ unit }) => unit, planPossible)
  const keyOf = ({ namespace, name, kind }: PlannedUnit) => `${namespace}/${name}/${kind}`
  return { reached: reached.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)), left }
}

const notOrdered: HeadPlan = { type: 'skipped', open: 'its runner got no order to plan it' }
