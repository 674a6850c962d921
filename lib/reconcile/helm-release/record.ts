/** Records the versions of a release that an action has written in `status.history`, like helm-controller for each action. */
import type { Release, ReleaseHook } from '../../engines/helm/release/release.ts'
import type { HelmRelease, ReleaseSnapshot } from '../../foundations/kinds/helm-release.ts'
import { timestamp } from '../../foundations/rules/conditions.ts'
import type { Draft } from './draft.ts'
import { isOf } from './history.ts'
import { type SnapshotAction, snapshotOf } from './snapshot.ts'

/**
 * After an installation or upgrade: the new version comes first. The previous one is recorded again if Helm has rewritten it, which it does unless
 * a hook has failed; like in helm-controller, its action is then unknown.
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
  const earlier = known.map(snapshot => {
    const written = others.find(release => isOf(snapshot, release))
    const { action: made, ...rest } = snapshot
    const { ociDigest, testHooks } = snapshot
    if (written) return snapshotOf(written, { ociDigest, testHooks })
    return snapshot === replaced && isRewritten ? rest : snapshot
  })
  draft.set({ history: [snapshotOf(newest, { action, ociDigest }), ...earlier] })
}

/** After a rollback or uninstallation: known versions are recorded again; the new version of a rollback comes first. */
export const recordWritten = (draft: Draft, action: SnapshotAction, stored: readonly Release[]): void => {
  for (const release of [...stored].reverse()) {
    const { history = [] } = draft.status
    if (history.some(snapshot => isOf(snapshot, release)))
      draft.set({ history: history.map(snapshot => recordedAgain(snapshot, release, action)) })
    else if (action === 'rollback') draft.set({ history: [snapshotOf(release, { action }), ...history] })
  }
}

/** After an unlock: a known version keeps its action. */
export const recordUnlocked = (draft: Draft, release: Release): ReleaseSnapshot => {
  const { history = [] } = draft.status
  const known = history.find(snapshot => isOf(snapshot, release))
  const { action, ociDigest } = known ?? {}
  const snapshot = snapshotOf(release, { action, ociDigest })
  draft.set({ history: history.map(before => (before === known ? snapshot : before)) })
  return snapshot
}

/** After tests: the results of the selected ones. */
export const recordTests = (draft: Draft, release: Release): void => {
  const { history = [] } = draft.status
  const [current, ...others] = history
  if (!current || !isOf(current, release)) return
  const { action, ociDigest } = current
  const testHooks = testHooksOf(release, draft.release)
  draft.set({ history: [snapshotOf(release, { action, ociDigest, testHooks }), ...others] })
}

const recordedAgain = (snapshot: ReleaseSnapshot, release: Release, action: SnapshotAction): ReleaseSnapshot => {
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
