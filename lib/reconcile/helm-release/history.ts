/** `status.history`: the versions of the release that a HelmRelease considers, newest first (HR-054, HR-070, HR-102). Pure. */
import type { ReleaseSnapshot } from '../../foundations/kinds/helm-release.ts'

type History = readonly ReleaseSnapshot[]

const maxSnapshots = 5

/** `namespace/name.vN`. */
export const describeRelease = ({ namespace, name, version }: ReleaseSnapshot): string =>
  `${namespace}/${name}.v${version}`

/** `chart@version`. */
export const describeChart = ({ chartName, chartVersion }: ReleaseSnapshot): string => `${chartName}@${chartVersion}`

export const hasTestIn = ({ testHooks = {} }: ReleaseSnapshot, phase: string): boolean =>
  Object.values(testHooks).some(hook => hook?.phase === phase)

/** Tests are done if there are none, if one has failed (Helm stops there), or if all have succeeded. */
export const isTested = (snapshot: ReleaseSnapshot): boolean => {
  const { testHooks } = snapshot
  if (!testHooks) return false
  return hasTestIn(snapshot, 'Failed') || Object.values(testHooks).every(hook => hook?.phase === 'Succeeded')
}

const isGood = (snapshot: ReleaseSnapshot, ignoresTests: boolean): boolean =>
  (snapshot.status === 'deployed' || snapshot.status === 'superseded') &&
  (ignoresTests || !hasTestIn(snapshot, 'Failed'))

const newestFirst = (history: History): ReleaseSnapshot[] => [...history].sort((a, b) => b.version - a.version)

/** The version to roll back to. */
export const previousGood = (history: History, ignoresTests: boolean): ReleaseSnapshot | undefined =>
  newestFirst(history)
    .slice(1)
    .find(snapshot => isGood(snapshot, ignoresTests))

/** The history up to the version to roll back to or, without one, up to the fifth. */
export const truncated = (history: History, ignoresTests: boolean): History => {
  const sorted = newestFirst(history)
  const at = sorted.findIndex((snapshot, index) => index > 0 && isGood(snapshot, ignoresTests))
  return sorted.slice(0, at < 0 ? maxSnapshots : at + 1)
}

/**
 * The newest five snapshots, the newest first: what helm-controller keeps of a history without a version to roll back
 * to.
 */
export const truncatedToFive = (history: History): History => newestFirst(history).slice(0, maxSnapshots)

/** Whether a snapshot is of this version of a release, stored or recorded. */
export const isOf = (
  snapshot: ReleaseSnapshot,
  { name, namespace = '', version }: { readonly name: string; readonly namespace?: string; readonly version: number },
): boolean => snapshot.name === name && snapshot.namespace === namespace && snapshot.version === version
