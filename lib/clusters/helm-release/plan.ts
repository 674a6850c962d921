import { manifestText, storedHook } from '../../engines/helm/release/manifest-text.ts'
import type { Release } from '../../engines/helm/release/release.ts'
import { storedChart } from '../../engines/helm/release/stored-chart.ts'
import type { RenderedChart } from '../../engines/helm/render-chart.ts'
import { toJsonValue } from '../../engines/template/values/to-json.ts'
import type { ValueMap } from '../../engines/template/values/value.ts'
import type { JsonObject } from '../../engines/yaml/json-value.ts'
import { type KubernetesObject, refKey, refOf } from '../../foundations/kinds/object.ts'
import type { ActionDeps, ChartRequest, ServerSideApply } from './action.ts'
import { readLive } from './objects.ts'
import { describeResource, ownershipProblem, type ReleaseId } from './ownership.ts'
import { ActionFailed } from './run.ts'

/** The fields of a release that come from rendering its chart. */
export const contentsOf = (
  { chart }: ChartRequest,
  values: ValueMap,
  { manifests, hooks, notes }: RenderedChart,
): Pick<Release, 'chart' | 'config' | 'manifest' | 'hooks'> & { readonly notes: string } => ({
  chart: storedChart(chart, values),
  config: toJsonValue(values) as JsonObject,
  manifest: manifestText(manifests),
  hooks: hooks.map(storedHook),
  notes,
})

/**
 * The refKeys of those objects new to a release that do not exist on the cluster yet. Throws ActionFailed if one exists, belongs to another
 * owner and may not be taken over.
 */
export const absentOf = async (
  deps: ActionDeps,
  objects: readonly KubernetesObject[],
  release: ReleaseId,
  takeOwnership: boolean,
): Promise<readonly string[]> => {
  const live = await readLive(
    deps,
    objects,
    object => `could not get information about the resource ${describeResource(object)}`,
  )
  for (const object of takeOwnership ? [] : objects) {
    const present = live.get(refKey(refOf(object)))
    const problem = present && ownershipProblem(present, release)
    if (problem)
      throw new ActionFailed(
        `${describeResource(object)} exists and cannot be imported into the current release: ${problem}`,
      )
  }
  return objects.map(object => refKey(refOf(object))).filter(key => !live.has(key))
}

/** Custom labels of a release are copied to its next version; its times are not. */
export const withoutTimes = (release: Release): Release => {
  const { createdAt, modifiedAt, ...labels } = release.labels ?? {}
  return { ...release, labels }
}

/** `auto` keeps the apply method of the previous release. */
export const isServerSide = (method: ServerSideApply, before: Release): boolean =>
  method === 'auto' ? before.apply_method === 'ssa' : method === 'enabled'

/** `apply_method` of a stored release, in Helm's short form: server-side or client-side apply. */
export const methodOf = (serverSideApply: boolean): 'ssa' | 'csa' => (serverSideApply ? 'ssa' : 'csa')
