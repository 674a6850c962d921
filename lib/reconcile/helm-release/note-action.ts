import type { StoredRelease } from '../../clusters/helm-release/storage.ts'
import type { Release } from '../../engines/helm/release/release.ts'
import type { ActionName } from './decide.ts'
import { releaseChanges } from './release-changes.ts'
import { contentsDigest } from './undo/contents-digest.ts'
import type { Work } from './work.ts'

/** The condition with the result of an action. */
const conditions: Readonly<Partial<Record<ActionName, string>>> = {
  install: 'Released',
  upgrade: 'Released',
  rollback: 'Remediated',
  undo: 'Released',
  uninstall: 'Remediated',
  test: 'TestSuccess',
}

/** Notes for the Run of the pass what an action has done. `stored`: versions before it; `written`: those that it has written, the newest first. */
export const noteAction = async (
  { deps, draft, pass }: Work,
  action: ActionName,
  stored: readonly StoredRelease[],
  written: readonly Release[],
): Promise<void> => {
  const { release } = draft
  const [newest] = written
  if (newest && action !== 'test') {
    const step =
      action === 'uninstall'
        ? { before: newest, after: undefined }
        : { before: previousOf(stored, newest), after: newest }
    pass.note({
      changes: await releaseChanges(deps, release, step, pass.signal),
      ...(step.after && { manifests: contentsDigest(step.after) }),
    })
  }
  const condition = draft.condition(conditions[action] ?? '')
  if (!condition) return
  const { status, reason, message } = condition
  pass.note({ ended: { isFailure: status === 'False', reason, message } })
}

/** The version that was on the cluster before. */
const previousOf = (stored: readonly StoredRelease[], { version }: Release): Release | undefined => {
  const earlier = stored.map(({ release }) => release).find(release => release.version < version)
  return earlier?.info.status === 'uninstalled' ? undefined : earlier
}
