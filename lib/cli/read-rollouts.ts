import { apiVersionOf } from '../foundations/kinds/all.ts'
import type { Kind } from '../foundations/kinds/kind.ts'
import { type Rollout, rollout as rolloutKind } from '../foundations/kinds/rollout.ts'
import { latestLast, type RolloutRun, rolloutLabel, rolloutRun } from '../foundations/kinds/rollout-run.ts'
import { CommandFailed } from './command-failed.ts'
import type { RolloutWithRuns } from './describe-rollout.ts'
import type { HubAccess } from './hub-access.ts'

const apiVersion = apiVersionOf(rolloutKind as unknown as Kind)

/** A Rollout with its runs. Fails if there is none. */
export const readRollout = async (hub: HubAccess, name: string, namespace: string): Promise<RolloutWithRuns> => {
  const ref = { group: rolloutKind.group, kind: rolloutKind.kind, namespace, name }
  const found = (await hub.cluster.get(apiVersion, ref, { signal: hub.signal })) as Rollout | undefined
  if (!found) throw new CommandFailed(`Rollout/${namespace}/${name} not found`)
  return { rollout: found, runs: await listRuns(hub, { namespace, labelSelector: `${rolloutLabel}=${name}` }) }
}

/** The same with its latest run. Fails if there is none yet. */
export const readLatestRun = async (hub: HubAccess, name: string, namespace: string) => {
  const { rollout, runs } = await readRollout(hub, name, namespace)
  const run = runs.at(-1)
  if (!run) throw new CommandFailed(`Rollout/${namespace}/${name} has no run yet`)
  return { rollout, run }
}

/** All Rollouts of a namespace, or of all. */
export const readRollouts = async (
  hub: HubAccess,
  place: { readonly namespace?: string },
): Promise<readonly RolloutWithRuns[]> => {
  const { items } = await hub.cluster.list({ apiVersion, kind: rolloutKind.kind, ...place }, { signal: hub.signal })
  const runs = Map.groupBy(await listRuns(hub, place), ({ metadata, spec }) => `${metadata.namespace}/${spec.rollout}`)
  return (items as readonly Rollout[]).map(rollout => ({
    rollout,
    runs: runs.get(`${rollout.metadata.namespace}/${rollout.metadata.name}`) ?? [],
  }))
}

const listRuns = async (
  { cluster, signal }: HubAccess,
  where: { readonly namespace?: string; readonly labelSelector?: string },
): Promise<readonly RolloutRun[]> => {
  const { items } = await cluster.list({ apiVersion, kind: rolloutRun.kind, ...where }, { signal })
  return latestLast(items as readonly RolloutRun[])
}
