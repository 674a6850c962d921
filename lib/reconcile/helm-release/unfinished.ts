import { type ActionOutcome, ReleaseError } from '../../clusters/helm-release/action.ts'
import type { Ended, Progress } from '../../clusters/helm-release/progress.ts'
import type { StoredRelease } from '../../clusters/helm-release/storage.ts'
import type { Release } from '../../engines/helm/release/release.ts'
import { valuesDigest } from '../../engines/helm/release-values.ts'
import { fromJson } from '../../engines/template/values/from-json.ts'
import type { ValueMap } from '../../engines/template/values/value.ts'
import type { HelmReleaseStatus } from '../../foundations/kinds/helm-release.ts'
import type { Draft } from './draft.ts'
import { isOf, isTested } from './history.ts'
import type { Attempt } from './report.ts'
import { tokenOf } from './requests.ts'
import type { Actions } from './work.ts'

/**
 * The action that an earlier pass has begun and that is to be gone on with: it has not ended, or nobody has told of its end, as the pass died
 * before it could.
 */
export const unfinishedAction = (
  { release, status }: Pick<Draft, 'release' | 'status'>,
  [last]: readonly StoredRelease[],
): Progress | Ended | undefined => {
  const found = last?.progress ?? last?.ended
  if (!last || !found || found.token !== tokenOf(release)) return undefined
  return last.progress || !isTold(last, status) ? found : undefined
}

/** Whether the status knows of how an action has ended. Without a history it knows of nothing that could be gone on with but a release. */
const isTold = ({ release, ended }: StoredRelease, { history = [] }: HelmReleaseStatus): boolean => {
  const told = history.find(snapshot => isOf(snapshot, release))
  switch (ended?.action) {
    case 'test':
      return !told || isTested(told)
    case 'uninstall':
      return !told || told.status === 'uninstalled'
    case 'rollback':
      return told !== undefined || history.length === 0
    default:
      return told !== undefined
  }
}

/** The actions, where the one that is gone on with has ended already: it comes to what it came to. */
export const endedActions = (actions: Actions, { release, ended }: StoredRelease): Actions => {
  if (!ended) return actions
  const outcome = async (): Promise<ActionOutcome> => {
    if (ended.failure !== undefined) throw new ReleaseError(ended.failure, [release], [])
    return { state: 'finished', release, stored: [release], logs: [] }
  }
  return { ...actions, [ended.action]: outcome }
}

/** What a release was made from that is not finished yet. */
export const attemptOf = ({ chart, config }: Release): Attempt => {
  const { name = '', version = '', appVersion } = (chart?.metadata ?? {}) as Readonly<Record<string, string>>
  return { chartName: name, chartVersion: version, appVersion, configDigest: valuesDigest(valuesOf(config)) }
}

export const valuesOf = (config: Release['config'] = {}): ValueMap =>
  fromJson(config, { integers: 'float64' }) as ValueMap
