import type { Approval } from '../foundations/kinds/approval.ts'
import type { Rollout } from '../foundations/kinds/rollout.ts'
import { latestLast, type RolloutRun, rolloutLabel } from '../foundations/kinds/rollout-run.ts'
import { isAllowed, mayDecide } from './allowed-actions.ts'
import { rolloutKind, rolloutRunKind } from './fleet-kinds.ts'
import type { HubApi } from './hub-api.ts'
import { type ListPage, listPage } from './list-page.ts'
import { readDecisions } from './read-decisions.ts'
import type { PageTerms } from './read-fleet.ts'
import { resourcePath } from './resource-path.ts'

/** A Rollout with its runs, the latest last. */
export interface RolloutWithRuns {
  readonly rollout: Rollout
  readonly runs: readonly RolloutRun[]
}

/** A namespace, or all; as many runs as one page has. Fails with ApiFailure or HubUnreachable, as all of these. */
export const readRollouts = async (
  api: HubApi,
  namespace: string | undefined,
  { limit, continue: from }: PageTerms,
  signal: AbortSignal,
): Promise<ListPage<RolloutWithRuns>> => {
  const query = { limit: String(limit), continue: from }
  const [page, runs] = await Promise.all([
    listPage<Rollout>(api, rolloutKind, { namespace, query }, signal),
    listPage<RolloutRun>(api, rolloutRunKind, { namespace, query: { limit: String(maxRuns) } }, signal),
  ])
  const runsOf = Map.groupBy(runs.items, ({ metadata, spec }) => `${metadata.namespace}/${spec.rollout}`)
  const withRuns = (rollout: Rollout): RolloutWithRuns => {
    const { namespace: at, name } = rollout.metadata
    return { rollout, runs: latestLast(runsOf.get(`${at}/${name}`) ?? []) }
  }
  return { ...page, items: page.items.map(withRuns) }
}

const maxRuns = 500

/** A Rollout with all its runs that still exist, the latest last. Fails with ApiFailure (404) if there is none. */
export const readRollout = async (
  api: HubApi,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  signal?: AbortSignal,
): Promise<RolloutWithRuns> => {
  const query = { labelSelector: `${rolloutLabel}=${name}` }
  const [rollout, { items }] = await Promise.all([
    api.get<Rollout>(resourcePath(rolloutKind, { namespace, name }), signal),
    listPage<RolloutRun>(api, rolloutRunKind, { namespace, query }, signal),
  ])
  return { rollout, runs: latestLast(items) }
}

/** What may be done with the latest run of a Rollout, and what was. */
export interface RunRights {
  readonly mayOrder: boolean
  readonly mayDecide: boolean
  readonly decisions: readonly Approval[]
}

/** What the user may do with a run, and the decisions about it so far. For buttons: the API checks again. */
export const readRunRights = async (api: HubApi, run: RolloutRun, signal: AbortSignal): Promise<RunRights> => {
  const { namespace = '', name } = run.metadata
  const [mayOrder, isApprover, decisions] = await Promise.all([
    isAllowed(api, { kind: rolloutRunKind, verb: 'patch', namespace, name }),
    mayDecide(api, rolloutRunKind, { namespace, name }),
    readDecisions(api, rolloutRunKind, { namespace, name }, signal),
  ])
  return { mayOrder, mayDecide: isApprover, decisions }
}
