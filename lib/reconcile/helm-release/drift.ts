/** Detects, reports and corrects drift of a cluster from its release (HR-084 to HR-089). */
import { changeOf } from '../../clusters/apply/change-set.ts'
import { ignoredFields } from '../../clusters/apply/ignored-fields.ts'
import {
  correct,
  type Difference,
  type DriftOptions,
  describeDifference,
  diff,
} from '../../clusters/helm-release/drift.ts'
import type { Release } from '../../engines/helm/release/release.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import { describeRef, refOf } from '../../foundations/kinds/object.ts'
import type { NewEvent } from '../runtime/reconciler.ts'
import type { Draft } from './draft.ts'
import { orFailure } from './failure.ts'
import { describeRelease } from './history.ts'
import { fieldManager, namespaceOf, releaseNamespaceOf } from './names.ts'
import type { Performed } from './perform.ts'
import { metadataOf } from './report.ts'
import type { HelmReleaseSettings } from './settings.ts'
import type { Work } from './work.ts'

/** The options for detecting drift of a release. Halts if `driftDetection.ignore` is malformed. */
export const driftOptions = async (
  draft: Draft,
  { overriddenManagers }: Pick<HelmReleaseSettings, 'overriddenManagers'>,
): Promise<DriftOptions> => {
  const { metadata, spec } = draft.onCluster
  return {
    owner: { group: 'helm.toolkit.fluxcd.io', namespace: namespaceOf(draft.onCluster), name: metadata.name },
    fieldManager,
    ignored: await orFailure(draft, 'StateError', () => ignoredFields(spec.driftDetection?.ignore ?? []), {
      describe: message => `Could not determine release state: ${message}`,
    }),
    overriddenManagers,
  }
}

/** Whether drift is detected: in mode `enabled` it is corrected, in `warn` only reported. */
export const detectsDrift = ({ spec }: HelmRelease): boolean =>
  spec.driftDetection?.mode === 'enabled' || spec.driftDetection?.mode === 'warn'

/** Empty if there is no drift: excluded objects count only beside others that differ. */
export const findDrift = async ({ deps, draft, drift }: Work, release: Release): Promise<readonly Difference[]> => {
  const found = await diff(deps, release, releaseNamespaceOf(draft.onCluster), drift)
  return found.some(({ type }) => type !== 'excluded') ? found : []
}

/**
 * Sets Drifted=True and sends an Event (DriftDetected) that lists the differences, a line each: how many fields differ,
 * never their values.
 */
export const reportDrift = ({ draft, pass }: Work, drift: readonly Difference[]): void => {
  const lines = drift.map(describeDifference).join('\n')
  const message = `Cluster state of release ${nameOf(draft)} has drifted from the desired state:\n${lines}`
  draft.mark('Drifted', 'True', 'DriftDetected', message)
  pass.event({ severity: 'error', reason: 'DriftDetected', message })
}

/**
 * Writes the drifted objects as the release has them. What can't be corrected is in the Event and does not fail the
 * pass: the next one finds it again.
 */
export const correctDrift = async (work: Work, drift: readonly Difference[]): Promise<Performed> => {
  const { draft, deps, pass } = work
  draft.mark('Ready', 'Unknown', 'Progressing', 'correcting cluster drift')
  const { corrected, failures } = await correct(deps, drift, fieldManager)
  const removed = new Set(drift.filter(({ type }) => type === 'removed').map(({ desired }) => desired))
  pass.note({ changes: corrected.map(object => changeOf(object, removed.has(object) ? 'created' : 'configured')) })
  const lines = corrected
    .map(object => `${describeRef(refOf(object))} ${removed.has(object) ? 'created' : 'configured'}`)
    .join('\n')
  const [current] = draft.status.history ?? []
  const report = (severity: NewEvent['severity'], reason: string, message: string) =>
    pass.event({ severity, reason, message, ...(current && { metadata: metadataOf(current) }) })
  if (failures.length > 0) {
    const what = corrected.length > 0 ? 'partially correct' : 'correct'
    const done = lines && `\n\nSuccessful corrections:\n${lines}`
    const message = `Failed to ${what} cluster state of release ${nameOf(draft)}:\n${failures.join('\n')}${done}`
    report('error', 'DriftCorrectionFailed', message)
  } else if (lines) {
    report('info', 'DriftCorrected', `Cluster state of release ${nameOf(draft)} has been corrected:\n${lines}`)
  }
  return { type: 'done' }
}

const nameOf = ({ status }: Work['draft']): string => {
  const [current] = status.history ?? []
  return current ? describeRelease(current) : ''
}
