import { type ActionOutcome, ReleaseError } from '../../clusters/helm-release/action.ts'
import type { Ended, Progress } from '../../clusters/helm-release/progress.ts'
import type { StoredRelease } from '../../clusters/helm-release/storage.ts'
import type { Release } from '../../engines/helm/release/release.ts'
import { valuesDigest } from '../../engines/helm/release-values.ts'
import { fromJson } from '../../engines/template/values/from-json.ts'
import type { ValueMap } from '../../engines/template/values/value.ts'
import type { HelmReleaseStatus } from '../../foundations/kinds/helm-release.ts'
import { readAttemptInputs } from './attempt-inputs.ts'
import type { Draft } from './draft.ts'
import { isOf, isTested } from './history.ts'
import type { Attempt } from './report.ts'
import { tokenOf } from './requests.ts'
import type { Actions } from './work.ts'

/**
 * The action of an earlier pass that has to be continued: it has not ended, or its result was not reported, as the process died before it
 * could be.
 */
export const unfinishedAction = (
  { release, status }: Pick<Draft, 'release' | 'status'>,
  [last]: readonly StoredRelease[],
): Progress | Ended | undefined => {
  const found = last?.progress ?? last?.ended
  if (!last || !found || found.token !== tokenOf(release)) return undefined
  return last.progress || !isReported(last, status) ? found : undefined
}

/** Whether the status reports the result of an action. Without a history, only an installation or upgrade can be continued. */
const isReported = ({ release, ended }: StoredRelease, { history = [] }: HelmReleaseStatus): boolean => {
  const reported = history.find(snapshot => isOf(snapshot, release))
  switch (ended?.action) {
    case 'test':
      return !reported || isTested(reported)
    case 'uninstall':
      return !reported || reported.status === 'uninstalled'
    case 'rollback':
      return reported !== undefined || history.length === 0
    default:
      return reported !== undefined
  }
}

/** The actions for continuing one that has ended already: it returns its recorded result. */
export const endedActions = (actions: Actions, { release, ended }: StoredRelease): Actions => {
  if (!ended) return actions
  const outcome = async (): Promise<ActionOutcome> => {
    if (ended.failure !== undefined) throw new ReleaseError(ended.failure, [release], [])
    return { state: 'finished', release, stored: [release], logs: [] }
  }
  return { ...actions, [ended.action]: outcome }
}

/** What a release was made from that is not finished yet. */
export const attemptOf = ({ release: { chart, config }, progress, ended }: StoredRelease): Attempt => {
  const { name = '', version = '', appVersion } = (chart?.metadata ?? {}) as Readonly<Record<string, string>>
  const { ociDigest } = readAttemptInputs((progress ?? ended)?.inputs) ?? {}
  const configDigest = valuesDigest(valuesOf(config))
  return { chartName: name, chartVersion: version, appVersion, configDigest, ociDigest }
}

/** The values of a stored release as Helm reads them back: all numbers are float64, as the digests of values expect. */
export const valuesOf = (config: Release['config'] = {}): ValueMap =>
  fromJson(config, { integers: 'float64' }) as ValueMap
