import type { HeadPlan } from '../../foundations/fleet/head-plan.ts'
import { isSuspended } from '../../foundations/kinds/flux.ts'
import { type Kustomization, kustomization } from '../../foundations/kinds/kustomization.ts'
import { type KubernetesObject, refKey, refOf } from '../../foundations/kinds/object.ts'
import type { PullRequest } from '../../foundations/kinds/pull-request.ts'
import type { References } from '../../hub/references/references.ts'
import type { PlanRelease } from '../helm-release/plan-head.ts'
import type { KustomizationPlanner } from '../kustomization/plan-head.ts'
import type { IsElsewhere } from '../runtime/elsewhere.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { dryPasses } from './dry-pass.ts'
import type { FetchedHead } from './fetch-heads.ts'
import { releasesAtHead, type UnitAtHead } from './releases-at-head.ts'

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
        const made = (await isElsewhere(unit)) ? (ofRunners.get(refKey(refOf(unit))) ?? ofRunner) : await plan(next)
        if (made.type === 'untouched') continue
        const { kind, namespace, name } = refOf(unit)
        reached.push({ kind, namespace, name, plan: made })
      }
    }
    await Promise.all(Array.from({ length: limits.atOnce }, work))
  }
  const planned: UnitAtHead[] = []
  const planUnit = async ({ unit, artifact }: KustomizationAtHead) => {
    const plan = await kustomizations.plan(unit, artifact, dry())
    planned.push({ unit, plan })
    return plan
  }
  await planAll(units, ({ unit }) => unit, planUnit)
  const releases = await releasesAtHead(heads, planned, { references, kustomizations }, pass.signal)
  await planAll(
    releases,
    ({ unit }) => unit,
    release => ('type' in release ? Promise.resolve(release) : planRelease(release, dry())),
  )
  const keyOf = ({ namespace, name, kind }: PlannedUnit) => `${namespace}/${name}/${kind}`
  return { reached: reached.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)), left }
}

const ofRunner: HeadPlan = {
  type: 'skipped',
  open: 'its cluster is reached by a runner, which plans only the Kustomizations of a pull request',
}

export interface KustomizationAtHead {
  readonly unit: Kustomization
  readonly artifact: NonNullable<FetchedHead['artifact']>
}

/** The Kustomizations of the sources of heads that were fetched. */
export const unitsAtHeads = async (
  heads: readonly FetchedHead[],
  references: References,
): Promise<readonly KustomizationAtHead[]> => (await Promise.all(heads.map(head => unitsOf(head, references)))).flat()

/** Suspended units would not take the change. */
const unitsOf = async (
  { source, artifact }: FetchedHead,
  references: References,
): Promise<readonly KustomizationAtHead[]> => {
  if (!artifact) return []
  const units = await references.referrersOf<Kustomization>(refOf(source), kustomization)
  return units
    .filter(unit => isOf(unit, source) && !unit.metadata.deletionTimestamp && !isSuspended(unit))
    .map(unit => ({ unit, artifact }))
}

/** The index of references may lag behind. */
const isOf = ({ spec: { sourceRef }, metadata }: Kustomization, source: KubernetesObject): boolean =>
  sourceRef.kind === source.kind &&
  sourceRef.name === source.metadata.name &&
  (sourceRef.namespace ?? metadata.namespace) === source.metadata.namespace
