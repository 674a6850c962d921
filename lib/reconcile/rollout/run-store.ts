import { blobNameOf, folderOf } from '../../foundations/kinds/artifact.ts'
import { refOf } from '../../foundations/kinds/object.ts'
import { fleetGroup } from '../../foundations/kinds/references.ts'
import type { Rollout } from '../../foundations/kinds/rollout.ts'
import {
  type PinnedSource,
  type RolloutRun,
  type RolloutRunStatus,
  rolloutLabel,
  rolloutRun,
} from '../../foundations/kinds/rollout-run.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { RunState } from '../../foundations/rollout/world.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { ArtifactStore } from '../../platform/ports/artifacts.ts'
import { type Newest, runNumber } from './observe.ts'

export interface RunStorePorts {
  readonly hub: Pick<Hub, 'create' | 'patch' | 'delete'>
  readonly artifacts: Pick<ArtifactStore, 'get' | 'put' | 'claim'>
}

const by = { fieldManager: 'keelson' }

/**
 * Begins a run for a set of artifacts, with the strategy as it is now. Keeps the artifacts under names of its own, so that units may take them as
 * long as the run exists, whatever the sources fetch. Undefined if one is no longer stored.
 */
export const createRun = async (
  rollout: Rollout,
  newest: Newest,
  before: { readonly latest: RolloutRun | undefined; readonly previous: string | undefined },
  { hub, artifacts }: RunStorePorts,
): Promise<RolloutRun | undefined> => {
  const { name: of, namespace = '' } = rollout.metadata
  const last = Math.max(rollout.status?.lastRun ?? 0, before.latest ? runNumber(before.latest.metadata.name) : 0)
  const name = `${of}-${last + 1}`
  const sources: PinnedSource[] = []
  for (const source of newest.sources) {
    const kept = await keep(source, folderOf({ kind: rolloutRun.kind, metadata: { namespace, name } }), artifacts)
    if (!kept) return undefined
    sources.push(kept)
  }
  const { stages, progressDeadline, onFailure, offline, supersede, hotfix } = newest.strategy
  const strategy = { stages, progressDeadline, onFailure, offline, supersede, hotfix }
  return hub.create<RolloutRun>(
    {
      apiVersion: `${fleetGroup}/v1alpha1`,
      kind: rolloutRun.kind,
      metadata: { name, namespace, labels: { [rolloutLabel]: of } },
      spec: {
        rollout: of,
        sources,
        ...(newest.inputs.length > 0 && { inputs: newest.inputs }),
        ...(before.previous !== undefined && { previous: before.previous }),
        ...(newest.isHotfix && { isHotfix: true }),
        ...(JSON.parse(JSON.stringify(strategy)) as typeof strategy),
      },
    },
    by,
  )
}

const keep = async (
  source: PinnedSource,
  folder: string,
  artifacts: RunStorePorts['artifacts'],
): Promise<PinnedSource | undefined> => {
  const { artifact } = source
  const path = `${folder}${artifact.path.slice(artifact.path.lastIndexOf('/') + 1)}`
  const name = blobNameOf({ path, digest: artifact.digest })
  if (!(await artifacts.claim(name))) {
    const content = await artifacts.get(blobNameOf(artifact))
    if (!content) return undefined
    await artifacts.put(name, content)
  }
  return { ...source, artifact: { ...artifact, path } }
}

/** The state that a run has stored; the initial one of a new run. */
export const stateOf = ({ status = {} }: RolloutRun, now: number): RunState => ({
  phase: status.phase ?? 'Running',
  stage: status.stage ?? 0,
  step: status.step ?? 'Before',
  since: status.since === undefined ? now : Date.parse(status.since),
  ...(status.pausedFor && { pausedFor: status.pausedFor }),
  ...(status.rollback && { rollback: status.rollback }),
  ...(status.accepted && { accepted: status.accepted }),
  ...(status.retriedAt !== undefined && { retriedAt: Date.parse(status.retriedAt) }),
  ...(status.passed && { passed: status.passed }),
  ...(status.order !== undefined && { order: status.order }),
})

type Clearable<T> = { readonly [K in keyof T]: T[K] | null }

/** A state as the fields of a status; null removes one. */
export const statusOf = (state: RunState): Clearable<RolloutRunStatus> => ({
  phase: state.phase,
  stage: state.stage,
  step: state.step,
  since: new Date(state.since).toISOString(),
  pausedFor: state.pausedFor ?? null,
  rollback: state.rollback ?? null,
  accepted: state.accepted ?? null,
  retriedAt: state.retriedAt === undefined ? null : new Date(state.retriedAt).toISOString(),
  passed: state.passed ?? null,
  order: state.order ?? null,
})

/** Stores changes of a run's status, if there are any. Fails with Conflict if the run has changed since it was read. */
export const storeStatus = async (
  run: RolloutRun,
  change: Clearable<RolloutRunStatus>,
  { hub }: Pick<RunStorePorts, 'hub'>,
): Promise<RolloutRun> => {
  const before: Readonly<Record<string, unknown>> = run.status ?? {}
  const changed = Object.entries(change).filter(([key, value]) => !isSameJson(before[key] ?? null, value ?? null))
  if (changed.length === 0) return run
  const { resourceVersion } = run.metadata
  return hub.patch<RolloutRun>(
    refOf(run),
    { type: 'merge', patch: { metadata: { resourceVersion }, status: Object.fromEntries(changed) } },
    { ...by, subresource: 'status' },
  )
}

/** Deletes ended runs beyond the limit, unless units are pinned to them or a rollback leads to them. Housekeeping deletes their artifacts. */
export const pruneRuns = async (
  { spec }: Rollout,
  runs: readonly RolloutRun[],
  inUse: ReadonlySet<string>,
  { hub }: Pick<RunStorePorts, 'hub'>,
): Promise<void> => {
  const old = runs.slice(0, -1).filter(({ metadata }) => !inUse.has(metadata.name))
  for (const run of old.slice(0, Math.max(0, old.length - (spec.historyLimit ?? 5)))) await hub.delete(refOf(run), {})
}
