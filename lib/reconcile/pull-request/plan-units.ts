import type { Artifact } from '../../foundations/kinds/artifact.ts'
import { isSuspended } from '../../foundations/kinds/flux.ts'
import { type Kustomization, kustomization } from '../../foundations/kinds/kustomization.ts'
import { type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import type { PullRequest } from '../../foundations/kinds/pull-request.ts'
import type { References } from '../../hub/references/references.ts'
import type { HeadPlan, PlanHead } from '../kustomization/plan-head.ts'
import type { IsElsewhere } from '../runtime/elsewhere.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { sharedReads } from '../runtime/shared-reads.ts'
import type { FetchedHead } from './fetch-heads.ts'

export interface PlanUnitPorts {
  readonly references: References
  readonly isElsewhere: IsElsewhere
  readonly planKustomization: PlanHead<Kustomization>
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

/** The limits of one pass: units that are built, and milliseconds until no more are begun. */
export const limits = { units: 500, reached: 200, beginMs: 6 * 60_000, atOnce: 4 }

/** Plans the head for all units of its sources, on their clusters, with dry runs that share what they read. */
export const planUnits = async (
  heads: readonly FetchedHead[],
  pass: Pass<PullRequest>,
  { references, isElsewhere, planKustomization, clock }: PlanUnitPorts,
): Promise<PlannedUnits> => {
  const units = (await Promise.all(heads.map(head => unitsOf(head, references)))).flat()
  const until = clock.now() + limits.beginMs
  const dry = dryPass(pass)
  const reached: PlannedUnit[] = []
  const queue = units.slice(0, limits.units)
  let left = units.length - queue.length
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { unit, artifact } = next
      if (clock.now() > until || reached.length >= limits.reached) {
        left++
        continue
      }
      const plan = (await isElsewhere(unit)) ? ofRunner : await planKustomization(unit, artifact, dry)
      if (plan.type === 'untouched') continue
      const { kind, namespace, name } = refOf(unit)
      reached.push({ kind, namespace, name, plan })
    }
  }
  await Promise.all(Array.from({ length: limits.atOnce }, work))
  const keyOf = ({ namespace, name, kind }: PlannedUnit) => `${namespace}/${name}/${kind}`
  return { reached: reached.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)), left }
}

const ofRunner = {
  type: 'failed',
  message: 'its cluster is reached by a runner, which plans no pull requests',
  open: 'its cluster is reached by a runner, which plans no pull requests',
} as const

interface UnitAtHead {
  readonly unit: Kustomization
  readonly artifact: Artifact
}

/** Suspended units would not take the change. */
const unitsOf = async ({ source, artifact }: FetchedHead, references: References): Promise<readonly UnitAtHead[]> => {
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

/** A pass over a unit that may not write: it shares its reads with the others, and leaves no trace. */
const dryPass = ({ signal, startedAt, confine }: Pass<PullRequest>): Pass<Kustomization> => ({
  ...{ signal, startedAt, confine, dryRun: sharedReads(signal) },
  open: async () => {},
  progress: async () => {},
  update: async () => {},
  event: () => {},
  note: () => {},
})
