import type { Protection } from '../../clusters/client/protecting-client.ts'
import type { Cluster } from '../../foundations/kinds/cluster.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Plan, PreviewedPlan } from '../../foundations/kinds/plan.ts'
import { namedTarget, type TargetReference } from '../../foundations/kinds/target-reference.ts'
import {
  type HeldOperation,
  heldOperations,
  type Override,
  overriddenByAnnotation,
  overrideAnnotation,
  parseOverride,
} from '../../foundations/kinds/window.ts'
import { type ApprovalPolicy, approvalPolicyOf, defaultExpiryMs } from '../../foundations/rules/approvals.ts'
import { type Reachability, reachabilityOf } from '../../foundations/rules/cluster-breaker.ts'
import { type PassShare, shareOf } from '../../foundations/rules/cluster-limits.ts'
import { rolloutsIn } from '../../foundations/rules/pin.ts'
import { type PruneRules, pruneRulesOf } from '../../foundations/rules/prune-rules.ts'
import { accessOf } from '../../foundations/rules/target.ts'
import { type Hold, holdsAt, type WindowList } from '../../foundations/rules/windows.ts'
import type { References } from '../../hub/references/references.ts'
import type { SignatureDemand } from '../approvals/signatures.ts'
import { annotatedWindows, WindowsInvalid } from './window-annotation.ts'

/** Why a unit waits, as the reason of its condition `Waiting`. */
export type RestraintReason =
  | 'OutsideWindow'
  | 'InvalidWindows'
  | 'ClusterSuspended'
  | 'MoveExpected'
  | 'WaitsForRollout'
  | 'DependencyNotReady'
  | 'InvalidDependencies'
  | 'ApprovalRequired'
  | 'PlanRejected'

export interface Restraining extends Hold {
  readonly reason: RestraintReason
}

/** An approval that a change needs: any, or one that deletes or recreates objects. */
export interface RequiredApproval extends ApprovalPolicy {
  readonly of: 'Changes' | 'Deletions'
  /** The RolloutRun that requires it for its revision: `NAMESPACE/NAME`. */
  readonly run?: string
  /** The change is only planned, and never made in this pass. Receives the plan. */
  readonly onPlan?: (plan: Plan) => void
  /** Only approvals with these signatures count. */
  readonly signatures?: SignatureDemand
}

/** Nobody has to approve the change. */
export const noApproval: RequiredApproval = {
  ...{ of: 'Changes', modes: new Set(), count: 0, authorMayApprove: true, expiryMs: defaultExpiryMs, requiredBy: '' },
}

/** What keeps a unit from acting at some time. */
export interface Restraint {
  /** The pass is made to find what it would change: nothing is stored or applied. Receives that. */
  readonly preview?: (found: PreviewedPlan) => void
  /** Its Cluster is suspended: nothing of the unit is reconciled. */
  readonly suspended?: Restraining
  readonly holds: Readonly<Partial<Record<HeldOperation, Restraining>>>
  /** Who has lifted what windows hold back at this time, and why. */
  readonly override?: Override & { readonly by: string }
  /** The ServiceAccount that the unit acts as on its cluster, unless it names one. */
  readonly account?: string
  /** What a change of the unit needs before it is made now. */
  readonly approval?: RequiredApproval
  /** What the unit's changes need, whether or not they do now: a list of deletions that waits needs it at any time. */
  readonly approvalPolicy?: ApprovalPolicy
  /** Kinds that the unit must not delete from its cluster. */
  readonly protections: readonly Protection[]
  /** Which of its deletions wait for approval. */
  readonly pruneRules: PruneRules
  /** What probes know of its cluster. */
  readonly reachability: Reachability
  /** The Rollouts that may decide which revision it takes. */
  readonly rollouts?: ReturnType<typeof rolloutsIn>
  /** Where it is: what else may have something to say about its changes. */
  readonly within?: Restrainers
  /** What was approved last is applied again, while a change of it waits: nothing of that is a change. */
  readonly isRepair?: true
  /** The pass's share of what the hub may do there at a time. */
  readonly share?: PassShare & { readonly access: TargetReference }
}

/** Whether a pass only plans, for a Rollout, a window or a user. */
export const isOnlyPlanned = ({ approval, preview }: Pick<Restraint, 'approval' | 'preview'>): boolean =>
  approval?.onPlan !== undefined || preview !== undefined

/**
 * What restrains a unit now: a suspended Cluster, and the windows of its Cluster, of its Namespace, and its own. Costs two reads in parallel, of
 * the Namespace and of the Clusters that refer to the kubeconfig; one for a unit that applies to the hub itself. Invalid windows hold everything back.
 */
export const restraintOf = async (
  unit: KubernetesObject,
  references: Pick<References, 'ownNamespace' | 'clustersWith'>,
  now: number,
): Promise<Restraint> => {
  const { namespace, clusters } = await restrainersOf(unit, references)
  const protections = clusters.flatMap(cluster => {
    const { protect: kinds = [] } = cluster.spec
    return kinds.length > 0 ? { by: ownerOf(cluster), kinds } : []
  })
  const annotated = [namespace, unit].filter(object => object !== undefined)
  const pruneRules = pruneRulesOf(clusters, annotated, ownerOf)
  const account = clusters.map(({ spec }) => spec.serviceAccountName).find(Boolean)
  const acting = account ? { account } : {}
  const suspended = clusters.find(({ spec }) => spec.suspend)
  if (suspended) {
    const why = `${ownerOf(suspended)} is suspended`
    const nothing = { holds: {}, reachability: {} }
    return { suspended: { reason: 'ClusterSuspended', why }, ...acting, ...nothing, protections, pruneRules }
  }
  const share = shareOf(clusters)
  const reachability = reachabilityOf(clusters, now)
  const rollouts = rolloutsIn(namespace)
  const confined = {
    protections,
    pruneRules,
    ...(rollouts.length > 0 && { rollouts }),
    reachability,
    within: { namespace, clusters },
    ...acting,
    ...(share && { share: { ...share, access: namedTarget(clusters[0]!)! } }),
  }
  const holds = windowHolds(() => windowsOf(unit, namespace, clusters), now)
  const override = Object.keys(holds).length > 0 ? overrideOf(unit, now) : undefined
  const restrainers = [unit, namespace, ...clusters].flatMap(object => object ?? [])
  const policy = approvalPolicyOf(restrainers.map(object => ({ owner: ownerOf(object), object })))
  return {
    ...confined,
    ...withApproval(policy, override ? {} : holds),
    ...(policy && { approvalPolicy: policy }),
    ...(override && { override }),
  }
}

/** An approval can stand in for a window: then changes don't wait for it. */
const withApproval = (
  policy: ApprovalPolicy | undefined,
  holds: Restraint['holds'],
): Pick<Restraint, 'holds' | 'approval'> => {
  if (!policy) return { holds }
  const { modes } = policy
  const required = (of: RequiredApproval['of']) => ({ ...policy, of })
  if (modes.has('OutsideWindow') && holds.Changes?.reason === 'OutsideWindow') {
    const { Changes, Deletions, ...others } = holds
    return { holds: others, approval: required('Changes') }
  }
  if (modes.has('Required')) return { holds, approval: required('Changes') }
  return modes.has('OnDelete') ? { holds, approval: required('Deletions') } : { holds }
}

const windowHolds = (windows: () => readonly WindowList[], now: number): Restraint['holds'] => {
  try {
    const holds = Object.entries(holdsAt(windows(), now))
    return Object.fromEntries(holds.map(([thing, hold]) => [thing, { reason: 'OutsideWindow' as const, ...hold }]))
  } catch (error) {
    if (!(error instanceof WindowsInvalid)) throw error
    const hold = { reason: 'InvalidWindows', why: error.message } as const
    return Object.fromEntries(heldOperations.map(thing => [thing, hold]))
  }
}

const overrideOf = ({ metadata: { annotations = {} } }: KubernetesObject, now: number): Restraint['override'] => {
  const override = parseOverride(annotations[overrideAnnotation] ?? '')
  if (!override || override.until <= now) return undefined
  return { ...override, by: annotations[overriddenByAnnotation] ?? 'unknown' }
}

export interface Restrainers {
  readonly namespace: KubernetesObject | undefined
  readonly clusters: readonly Cluster[]
}

const restrainersOf = async (
  unit: KubernetesObject,
  references: Pick<References, 'ownNamespace' | 'clustersWith'>,
): Promise<Restrainers> => {
  const named = namedTarget(unit)
  const [namespace, clusters] = await Promise.all([
    references.ownNamespace(unit),
    named && references.clustersWith(named),
  ])
  if (clusters) return { namespace, clusters }
  const inherited = accessOf(unit, namespace)
  return { namespace, clusters: inherited ? await references.clustersWith(inherited) : [] }
}

const windowsOf = (
  unit: KubernetesObject,
  namespace: KubernetesObject | undefined,
  clusters: readonly Cluster[],
): readonly WindowList[] => [
  ...clusters.map(cluster => ({ owner: ownerOf(cluster), windows: cluster.spec.windows ?? [] })),
  ...[namespace, unit]
    .flatMap(object => object ?? [])
    .map(object => ({
      owner: ownerOf(object),
      windows: annotatedWindows(object),
    })),
]

/** `Cluster apps/prod`, `Namespace apps`. */
const ownerOf = ({ kind, metadata }: KubernetesObject): string =>
  `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name}`
