import type { StoredRelease } from '../../clusters/helm-release/storage.ts'
import { beginsToWait } from '../approvals/keep-approved.ts'
import { WouldWrite } from '../runtime/dry-run.ts'
import { correctDrift, detectsDrift, findDrift, reportDrift } from './drift.ts'
import { heldByWindows } from './held-by-windows.ts'
import { isSigned } from './signed-release.ts'
import { releaseDigest } from './snapshot.ts'
import type { Work } from './work.ts'

/**
 * While an action waits for approval, drift from what is released is reported and corrected, as far as the HelmRelease does that at all. As for other units, not
 * by the pass that begins to wait. A version that has failed, or that another client has written, is left to the action.
 */
export const keepReleased = async (work: Work, newest: StoredRelease | undefined): Promise<void> => {
  const { draft, pass, plans } = work
  const { release, status } = draft
  const [current] = status.history ?? []
  if (!newest || !current || !detectsDrift(release) || beginsToWait(release)) return
  const isReleased = newest.release.info.status === 'deployed'
  if (!isReleased || releaseDigest(newest.release, current.ociDigest) !== current.digest) return
  if (plans.signatures && !(await isSigned(work, newest.release))) return
  const drift = await findDrift(work, newest.release)
  if (drift.length === 0) return
  if (pass.dryRun) throw new WouldWrite('drift')
  reportDrift(work, drift)
  const isCorrected = release.spec.driftDetection?.mode === 'enabled'
  if (isCorrected && !heldByWindows(work, 'correct cluster drift')) await correctDrift(work, drift)
}
