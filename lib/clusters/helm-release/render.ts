import { type Capabilities, parseKubeVersion } from '../../engines/helm/capabilities.ts'
import { postRender } from '../../engines/helm/release/post-render.ts'
import { defaultCapabilities, type RenderedChart, renderFiles } from '../../engines/helm/render-chart.ts'
import type { Release } from '../../engines/helm/render-values.ts'
import { validateValues } from '../../engines/helm/schema/validate-values.ts'
import { sortManifests } from '../../engines/helm/sort-manifests.ts'
import { fromJson } from '../../engines/template/values/from-json.ts'
import type { Value, ValueMap } from '../../engines/template/values/value.ts'
import { groupOf } from '../../foundations/kinds/object.ts'
import { ClusterError } from '../client/client.ts'
import type { ActionDeps, ChartRequest } from './action.ts'
import { ActionFailed } from './run.ts'

/** Limit for templates whose lookups depend on the results of earlier ones; no sensible chart needs more rounds. */
const MAX_ROUNDS = 16

/**
 * Renders a chart for a release on a live cluster: with its capabilities, its objects for `lookup`, and the post-renderers. Throws HelmError and
 * ActionFailed.
 */
export const renderRelease = async (
  deps: ActionDeps,
  request: Pick<
    ChartRequest,
    'chart' | 'functions' | 'cache' | 'postRenderer' | 'postRenderStrategy' | 'schemaValidation'
  >,
  values: ValueMap,
  release: Release,
): Promise<RenderedChart> => {
  const { chart, functions, cache, postRenderer, postRenderStrategy, schemaValidation } = request
  const capabilities = await capabilitiesOf(deps)
  const rendered = await withLookups(deps, calls =>
    renderFiles(chart, values, {
      ...{ functions, release, capabilities, calls, cache },
      ...(schemaValidation && { validate: validateValues }),
    }),
  )
  const { files, ...rest } = rendered
  if (postRenderer) return postRender(rendered, postRenderer, postRenderStrategy)
  return { ...sortManifests(files, { heads: cache?.heads }), ...rest }
}

const capabilitiesOf = async ({ cluster, signal }: ActionDeps): Promise<Capabilities> => {
  const { serverVersion, servedVersions } = cluster
  const [version, apiVersions] = await Promise.all([serverVersion?.({ signal }), servedVersions?.({ signal })])
  return {
    kubeVersion: version ? parseKubeVersion(version) : defaultCapabilities.kubeVersion,
    apiVersions: apiVersions ?? defaultCapabilities.apiVersions,
  }
}

type Calls = ReadonlyMap<string, (...args: Value[]) => Value>

/** Templates run synchronously: missing results of `lookup` are read from the cluster between runs, until a run misses nothing. */
const withLookups = async <T>(deps: ActionDeps, render: (calls: Calls) => T): Promise<T> => {
  const known = new Map<string, Value>()
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const missing = new Map<string, readonly string[]>()
    const lookup = (...args: Value[]): Value => {
      const query = args.map(String)
      const key = JSON.stringify(query)
      if (!known.has(key)) missing.set(key, query)
      return known.get(key) ?? new Map()
    }
    let result: T | undefined
    let failure: unknown
    try {
      result = render(new Map([['lookup', lookup]]))
    } catch (error) {
      failure = error
    }
    if (missing.size === 0) {
      if (failure !== undefined) throw failure
      return result as T
    }
    for (const [key, query] of missing) known.set(key, await lookUp(deps, query))
  }
  throw new ActionFailed(`the chart's templates look up more than ${MAX_ROUNDS} objects one after the other`)
}

const lookUp = async ({ cluster, signal }: ActionDeps, query: readonly string[]): Promise<Value> => {
  const [apiVersion = '', kind = '', namespace = '', name = ''] = query
  try {
    if (name === '') {
      const { items } = await cluster.list({ apiVersion, kind, ...(namespace && { namespace }) }, { signal })
      return fromJson({ apiVersion, kind: `${kind}List`, items })
    }
    const object = await cluster.get(apiVersion, { group: groupOf(apiVersion), kind, namespace, name }, { signal })
    return fromJson(object ?? {})
  } catch (error) {
    if (error instanceof ClusterError && (error.code === 'noMatch' || error.code === 'notFound')) return new Map()
    throw error
  }
}
