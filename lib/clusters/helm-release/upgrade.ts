import { crdsOf } from '../../engines/helm/chart-crds.ts'
import { mergeTables } from '../../engines/helm/coalesce.ts'
import { overlay, readValues } from '../../engines/helm/read-yaml.ts'
import {
  deployedOf,
  isPending,
  obsoleteVersions,
  type Release,
  withStatus,
} from '../../engines/helm/release/release.ts'
import type { ChartWithLock } from '../../engines/helm/release/stored-chart.ts'
import { fromJson } from '../../engines/template/values/from-json.ts'
import type { ValueMap } from '../../engines/template/values/value.ts'
import { emitJson } from '../../engines/yaml/emit-json.ts'
import { refKey, refOf } from '../../foundations/kinds/object.ts'
import type { ActionDeps, ActionOutcome, UpgradeRequest } from './action.ts'
import { applyCrds } from './crds.ts'
import { objectsOf } from './objects.ts'
import { absentOf, contentsOf, isServerSide, methodOf, withoutTimes } from './plan.ts'
import { initialProgress, type Progress } from './progress.ts'
import { renderRelease } from './render.ts'
import { cleanUpCreated } from './replace-objects.ts'
import { requireDeletable } from './require-deletable.ts'
import { ActionFailed, type ActionRun, IN_PROGRESS, timeOf, withContext } from './run.ts'
import type { StoredRelease } from './storage.ts'
import { supersede } from './supersede.ts'

/** Upgrades a release, or continues an upgrade. Throws ReleaseError. */
export const upgrade = (deps: ActionDeps, request: UpgradeRequest): Promise<ActionOutcome> =>
  supersede(deps, request, {
    action: 'upgrade',
    missing: `"${request.name}" has no deployed releases`,
    begin: (run, history) => begin(run, history, request),
    failureHandler: run => ({
      failedVersion: message =>
        withStatus(run.current.release, 'failed', `Upgrade "${request.name}" failed: ${message}`),
      undo: message => cleanUpCreated(run, request, message, 'upgrade'),
    }),
    namesHooks: true,
    upgradesManagers: original => original?.apply_method !== 'ssa',
    superseded: (_, original) => (original ? [original] : []),
    description: 'Upgrade complete',
  })

/** The version to upgrade: the deployed one or, if there is none, one that failed. */
export const upgraded = (history: readonly Release[]): Release => {
  const last = history[0]!
  if (isPending(last)) throw new ActionFailed(IN_PROGRESS)
  const current = deployedOf(history)
  if (current) return current
  if (last.info.status !== 'failed' && last.info.status !== 'superseded')
    throw new ActionFailed(`"${last.name}" has no deployed releases`)
  return last
}

/** Everything before the first write to the storage: a failure here leaves the release unchanged. */
const begin = async (run: ActionRun, history: readonly StoredRelease[], request: UpgradeRequest): Promise<void> => {
  const { deps } = run
  const releases = history.map(({ release }) => release)
  const last = releases[0]!
  const current = upgraded(releases)
  const serverSideApply = isServerSide(request.serverSideApply, last)
  await applyCrds(
    deps,
    crdsOf(request.chart),
    {
      ...{ policy: request.crds, serverSideApply, labels: request.originLabels },
      fieldManager: request.fieldManager,
    },
    run.logs,
  )
  const release = await draftUpgrade(deps, { last, current }, request)
  const absent = await absentObjects(deps, current, release, request)
  const progress: Progress = { ...initialProgress('upgrade', request, deps.clock.now()), absent, from: current.version }
  run.begin(await deps.storage.create(withoutTimes(release), progress, obsoleteVersions(releases, request.maxHistory)))
}

/** The version that an upgrade stores first. */
export const draftUpgrade = async (
  deps: ActionDeps,
  { last, current }: { readonly last: Release; readonly current: Release },
  request: UpgradeRequest,
): Promise<Release> => {
  const { chart, values } = request.preserveValues ? preserved(request, current) : request
  const namespace = current.namespace ?? request.namespace
  const revision = last.version + 1
  const target = { name: request.name, namespace, revision, isUpgrade: true }
  const rendered = await renderRelease(deps, { ...request, chart }, values, target)
  const { notes, ...contents } = contentsOf({ ...request, chart }, values, rendered)
  return {
    ...{ name: request.name, namespace, version: revision, ...contents, labels: last.labels ?? {} },
    info: {
      ...(current.info.first_deployed && { first_deployed: current.info.first_deployed }),
      ...{
        last_deployed: timeOf(deps.clock.now()),
        description: 'Preparing upgrade',
        status: 'pending-upgrade',
        notes,
      },
    },
    apply_method: methodOf(isServerSide(request.serverSideApply, last)),
  }
}

/** The new values over those of the previous release, and both over the values of its chart. */
const preserved = (
  { chart, values }: UpgradeRequest,
  current: Release,
): { readonly chart: ChartWithLock; readonly values: ValueMap } => {
  const config = valuesOf(current.config ?? {})
  const old = overlay(valuesOf(current.chart?.values ?? {}), config)
  const file = Buffer.from(emitJson(JSON.parse(JSON.stringify(plain(old)))))
  return {
    chart: { ...chart, values: { file, tables: readValues(file) } },
    values: mergeTables(new Map(values), config, 'delete'),
  }
}

const valuesOf = (fields: object): ValueMap => fromJson(fields, { integers: 'float64' }) as ValueMap

const plain = (value: unknown): unknown => {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [key, plain(item)]))
  return Array.isArray(value) ? value.map(plain) : value
}

/** The objects that the upgrade creates. */
const absentObjects = async (
  deps: ActionDeps,
  current: Release,
  release: Release,
  request: UpgradeRequest,
): Promise<readonly string[]> => {
  const { namespace = request.namespace } = release
  const target = await built(deps, release, namespace, 'unable to build kubernetes objects from new release manifest')
  const before = await built(
    deps,
    current,
    namespace,
    'unable to build kubernetes objects from current release manifest',
  )
  const known = new Set(before.map(object => refKey(refOf(object))))
  const added = target.filter(object => !known.has(refKey(refOf(object))))
  const wanted = new Set(target.map(object => refKey(refOf(object))))
  try {
    await requireDeletable(
      deps,
      before.filter(object => !wanted.has(refKey(refOf(object)))),
    )
    return await absentOf(deps, added, { name: release.name, namespace }, request.takeOwnership)
  } catch (error) {
    throw withContext('unable to continue with update', error)
  }
}

const built = async (deps: ActionDeps, { manifest = '' }: Release, namespace: string, what: string) => {
  try {
    return await objectsOf(deps, manifest, namespace)
  } catch (error) {
    throw withContext(what, error)
  }
}
