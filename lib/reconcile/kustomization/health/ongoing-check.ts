import { formatDuration } from '../../../kinds/duration.ts'
import type { Kustomization } from '../../../kinds/kustomization.ts'
import { timeoutOf } from '../../../kinds/kustomization.ts'
import { conditionOf } from '../../../rules/conditions.ts'
import type { Revision } from '../events.ts'
import { unfinished } from '../run.ts'

/** A health check that an earlier pass began and left to later ones. The status is all that is remembered of it. */
export interface OngoingCheck {
  readonly revision: Revision
  /** Digest of what was applied. */
  readonly digest: string
  /** When the check began, in milliseconds since the epoch. */
  readonly since: number
  /** When the run began that it belongs to. */
  readonly startedAt: number
}

/** Progress message of a health check. */
export const checkingMessage = (revision: string, kustomization: Kustomization): string =>
  `Running health checks for revision ${revision} with a timeout of ${formatDuration(timeoutOf(kustomization))}`

/** The check that the last pass left running, if the spec is still the same. */
export const ongoingCheck = (kustomization: Kustomization): OngoingCheck | undefined => {
  const { conditions, history } = kustomization.status ?? {}
  const latest = history?.[0]
  const healthy = conditionOf(conditions, 'Healthy')
  const reconciling = conditionOf(conditions, 'Reconciling')
  const { revision = '', originRevision } = latest?.metadata ?? {}
  if (
    latest?.lastReconciledStatus !== unfinished ||
    healthy?.status !== 'Unknown' ||
    healthy.observedGeneration !== kustomization.metadata.generation ||
    reconciling?.reason !== 'Progressing' ||
    reconciling.message !== checkingMessage(revision, kustomization)
  ) {
    return undefined
  }
  return {
    revision: { revision, ...(originRevision && { originRevision }) },
    digest: latest.digest,
    since: Date.parse(healthy.lastTransitionTime),
    startedAt: Date.parse(latest.firstReconciled),
  }
}
