import type { StoredRelease } from '../../clusters/helm-release/storage.ts'
import { timeoutOf } from './names.ts'
import { tokenOf } from './requests.ts'
import type { Work } from './work.ts'

/** Throws Error if another HelmRelease has begun an action on the same release, and it may still go on: its entry is not unlocked (HR-155). */
export const requireOwn = ({ draft: { release }, now }: Work, { progress }: StoredRelease): void => {
  if (progress === undefined || progress.token === tokenOf(release)) return
  if (now() - progress.stepStartedAt >= timeoutOf(release)) return
  throw new Error('another HelmRelease works on it: another operation (install/upgrade/rollback) is in progress')
}
