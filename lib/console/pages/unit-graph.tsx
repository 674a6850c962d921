import { kindOf, type Needing, neededBy } from '../../foundations/fleet/needed-by.ts'
import { apiVersionOf } from '../../foundations/kinds/all.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { ApiFailure, type HubApi } from '../../hub-client/hub-api.ts'
import { readLiveTree } from '../../hub-client/read-live.ts'
import type { ObjectView } from '../../hub-client/read-object.ts'
import { resourcePath } from '../../hub-client/resource-path.ts'
import { useLive } from '../api/use-live.ts'
import { counted } from '../model/phrases.ts'
import { unitGraph } from '../model/unit-graph.ts'
import { Graph } from '../parts/graph.tsx'
import { Loaded } from '../parts/notices.tsx'
import { useConsole } from '../parts/scope.tsx'

/** Clusters can't be followed through the hub. */
const everyMs = 5_000

/** Where the unit takes its content from, and what that has become on the cluster. */
export const UnitGraphPanel = ({ view: { object, kind } }: { readonly view: ObjectView }) => {
  const { api } = useConsole()
  const { namespace, name } = object.metadata
  const graph = useLive(api, {
    key: `graph ${object.kind} ${namespace} ${name}`,
    paths: [resourcePath(kind, { namespace, query: { fieldSelector: `metadata.name=${name}` } })],
    everyMs,
    read: async (hub, signal) => {
      const [needed, tree] = await Promise.all([
        readNeeded(hub, object as Needing, signal),
        readLiveTree(hub, object, signal).catch((error: unknown) => {
          if (error instanceof ApiFailure) return error
          throw error
        }),
      ])
      return { needed, tree }
    },
  })
  return (
    <section class="panel" aria-label="Where it comes from">
      <div class="bar">
        <h2>Where it comes from, what it makes</h2>
        <span class="right">
          {graph.data && !(graph.data.tree instanceof ApiFailure) && summaryOf(graph.data.tree)}
        </span>
      </div>
      <Loaded of={graph}>
        {({ needed, tree }) => {
          const isRefused = tree instanceof ApiFailure
          return (
            <>
              <Graph of={unitGraph(object, needed, isRefused ? undefined : tree)} label="Sources, objects and pods" />
              {isRefused && <p class="pad quiet break">{`What is on the cluster is not shown: ${tree.message}`}</p>}
              {!isRefused &&
                tree.refused.map(line => (
                  <p key={line} class="pad quiet break">
                    {`Not shown: ${line}`}
                  </p>
                ))}
            </>
          )
        }}
      </Loaded>
    </section>
  )
}

const summaryOf = ({ objects, more, as }: Exclude<Awaited<ReturnType<typeof readLiveTree>>, ApiFailure>): string => {
  const wrong = objects.filter(({ state }) => state === 'failed' || state === 'missing').length
  const seen = `${counted(objects.length + more, 'object')}${wrong > 0 ? `, ${wrong} failing` : ''}`
  return as ? `${seen}, as ${as} sees them` : seen
}

/** What the unit needs and the person may read. */
const readNeeded = async (api: HubApi, object: Needing, signal: AbortSignal): Promise<readonly KubernetesObject[]> => {
  const found = await Promise.all(
    neededBy(object).map(async reference => {
      const kind = kindOf(reference)
      if (!kind || !reference.name) return []
      const namespace = reference.namespace || (object.metadata.namespace ?? '')
      try {
        const read = await api.get<KubernetesObject>(resourcePath(kind, { namespace, name: reference.name }), signal)
        return [{ ...read, apiVersion: apiVersionOf(kind), kind: kind.kind }]
      } catch (error) {
        if (error instanceof ApiFailure) return []
        throw error
      }
    }),
  )
  return found.flat()
}
