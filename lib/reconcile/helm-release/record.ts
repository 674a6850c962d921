/** Puts versions of a release that an action has written into `status.history`, as helm-controller does for each action. */
import type { Release, ReleaseHook } from '../../engines/helm/release/release.ts'
import type { HelmRelease, ReleaseSnapshot } from '../../foundations/kinds/helm-release.ts'
import { timestamp } from '../../foundations/rules/conditions.ts'
import type { Draft } from './draft.ts'
import { isOf } from './history.ts'
import { type SnapshotAction, snapshotOf } from './snapshot.ts'

/**
 * After an installation or upgrade: the new version comes first. The one before is told anew when Helm has written it anew, which it
 * does unless a hook has failed; then it is no longer known what action made it, as with helm-controller.
 */
export const recordReleased = (
  draft: Draft,
  action: 'install' | 'upgrade',
  stored: readonly Release[],
  failure?: string,
): void => {
  const [newest, ...others] = stored
  if (!newest) return
  const isRewritten = action === 'upgrade' && !/^(pre|post)-upgrade hooks failed/.test(failure ?? '')
  const { history = [], lastAttemptedRevisionDigest: ociDigest } = draft.status
  const known = history.filter(snapshot => !isOf(snapshot, newest))
  const replaced = known.find(({ status }) => status === 'deployed') ?? known[0]
  const told = known.map(snapshot => {
    const written = others.find(release => isOf(snapshot, release))
    const { action: made, ...rest } = snapshot
    const { ociDigest, testHooks } = snapshot
    if (written) return snapshotOf(written, { ociDigest, testHooks })
    return snapshot === replaced && isRewritten ? rest : snapshot
  })
  draft.set({ history: [snapshotOf(newest, { action, ociDigest }), ...told] })
}

/** After a rollback or uninstallation: known versions are told anew, and of a rollback the new one comes first. */
export const recordWritten = (draft: Draft, action: SnapshotAction, stored: readonly Release[]): void => {
  for (const release of [...stored].reverse()) {
    const { history = [] } = draft.status
    if (history.some(snapshot => isOf(snapshot, release)))
      draft.set({ history: history.map(snapshot => toldAnew(snapshot, release, action)) })
    else if (action === 'rollback') draft.set({ history: [snapshotOf(release, { action }), ...history] })
  }
}

/** After an unlock: a version that is known keeps the action that made it. */
export const recordUnlocked = (draft: Draft, release: Release): ReleaseSnapshot => {
  const { history = [] } = draft.status
  const known = history.find(snapshot => isOf(snapshot, release))
  const { action, ociDigest } = known ?? {}
  const snapshot = snapshotOf(release, { action, ociDigest })
  draft.set({ history: history.map(before => (before === known ? snapshot : before)) })
  return snapshot
}

/** After tests: how each went that was chosen. */
export const recordTests = (draft: Draft, release: Release): void => {
  const { history = [] } = draft.status
  const [current, ...others] = history
  if (!current || !isOf(current, release)) return
  const { action, ociDigest } = current
  const testHooks = testHooksOf(release, draft.release)
  draft.set({ history: [snapshotOf(release, { action, ociDigest, testHooks }), ...others] })
}

const toldAnew = (snapshot: ReleaseSnapshot, release: Release, action: SnapshotAction): ReleaseSnapshot => {
  if (!isOf(snapshot, release)) return snapshot
  const { ociDigest, testHooks } = snapshot
  return snapshotOf(release, { action, ociDigest, testHooks })
}

const testHooksOf = ({ hooks = [] }: Release, { spec }: HelmRelease): NonNullable<ReleaseSnapshot['testHooks']> => {
  const filters = spec.test?.filters ?? []
  const wanted = filters.filter(({ exclude }) => !exclude).map(({ name }) => name)
  const unwanted = filters.filter(({ exclude }) => exclude).map(({ name }) => name)
  const isSelected = ({ name }: ReleaseHook) =>
    !unwanted.includes(name) && (wanted.length === 0 || wanted.includes(name))
  const tests = hooks.filter(({ events = [] }) => events.includes('test') || events.includes('test-success'))
  return Object.fromEntries(
    tests.filter(isSelected).map(({ name, last_run: { started_at, completed_at, phase } }) => [
      name,
      {
        ...(started_at && { lastStarted: timestamp(Date.parse(started_at)) }),
        ...(completed_at && { lastCompleted: timestamp(Date.parse(completed_at)) }),
        ...(phase && { phase }),
      },
    ]),
  )
}
