import type { Cluster } from '../../foundations/kinds/cluster.ts'
import { durationMs } from '../../foundations/kinds/duration.ts'
import { type Kustomization, kustomization } from '../../foundations/kinds/kustomization.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { undoOf } from '../../foundations/kinds/undo.ts'
import { inventoryDifference } from '../../foundations/rules/inventory.ts'
import type { Session } from '../../hub/runners/session.ts'
import { ApiError, type Hub } from '../../hub/store/hub.ts'
import { inventoryOf } from '../applied-objects/run.ts'
import type { ClusterClaim } from './cluster-claim.ts'

/** What a runner does while its hub is away: it keeps what is applied as it is, at the revision that is applied. */
export interface Offline {
  /** Whether it works without its hub now. */
  isOn(): boolean
  /** Whether the loop may handle a message about an object, or about a visit of several. */
  mayHandle(ref: ObjectRef): Promise<boolean>
  /** As the session's, but the runner keeps the status while it works alone. Fails if something would be applied that the hub does not know. */
  readonly report: Session['report']
  /** As the session's; no event is recorded while the runner works alone. */
  readonly event: Session['event']
}

interface OfflinePorts {
  readonly session: Pick<Session, 'isHeld' | 'silentMs' | 'report' | 'event'>
  readonly claim: Pick<ClusterClaim, 'isOurs'>
  /** See `offlineMsOf`, of the Cluster as the runner last knew it. */
  readonly allowedMs: () => number
  /** The runner's own. */
  readonly hub: Pick<Hub, 'get'>
  /** Whether a unit would take this revision now. */
  readonly isAtRevision: (unit: Kustomization, revision: string) => Promise<boolean>
}

/** What a runner may do by itself, as its lease, the Cluster's policy and its claim on the cluster say. See docs/decisions/0064-runners-without-their-hub.md. */
export const createOffline = ({ session, claim, allowedMs, hub, isAtRevision }: OfflinePorts): Offline => {
  const isOn = (): boolean => {
    const silentMs = session.silentMs()
    return !session.isHeld() && silentMs !== undefined && silentMs < allowedMs()
  }

  /** Whether a pass would only restore what an earlier one has applied. */
  const isApplied = async (unit: Kustomization): Promise<boolean> => {
    const { metadata, status: { lastAppliedRevision: revision, observedGeneration, history = [] } = {} } = unit
    if (metadata.deletionTimestamp || revision === undefined || observedGeneration !== metadata.generation) return false
    const undo = undoOf(unit)
    if (undo && undo.to !== history[0]?.digest) return false
    if (undo && !undo.failed) return true
    return isAtRevision(unit, undo?.failed?.revision ?? revision)
  }

  return {
    isOn,
    mayHandle: async ref => {
      if (!isOn() || leftAlone.has(ref.kind) || !(await claim.isOurs())) return false
      const unit = ref.kind === kustomization.kind ? await hub.get<Kustomization>(ref) : undefined
      return unit === undefined || isApplied(unit)
    },
    report: async (object, change) => {
      if (!isOn() || change.status === undefined) return session.report(object, change)
      requireKnown(object, { ...object, status: change.status })
    },
    event: async (object, event) => {
      if (!isOn()) await session.event(object, event)
    },
  }
}

/** A pass of a HelmRelease needs the hub, which makes its HelmChart, and what a ResourceSet would apply is only known once it is rendered. */
const leftAlone: ReadonlySet<string> = new Set(['HelmRelease', 'ResourceSet'])

/** So the hub has recorded all that is on the cluster, whatever becomes of the runner. */
const requireKnown = (before: KubernetesObject, after: KubernetesObject): void => {
  const unknown = inventoryDifference(inventoryOf(after), inventoryOf(before))
  if (unknown.length === 0) return
  const message = `the hub is away, and does not know that this would be applied: ${unknown.map(({ id }) => id).join(', ')}`
  throw new ApiError(503, 'ServiceUnavailable', message)
}

/** For how long the runner of a Cluster works without its hub, in milliseconds. */
export const offlineMsOf = ({ spec }: Pick<Cluster, 'spec'>): number => durationMs(spec.runner?.offline ?? '0s')
