import type { Cluster } from '../../foundations/kinds/cluster.ts'
import type { Condition } from '../../foundations/kinds/object.ts'
import type { Run } from '../../foundations/kinds/run.ts'
import { clusterKind, unitKinds } from '../../hub-client/fleet-kinds.ts'
import type { ObjectView } from '../../hub-client/read-object.ts'
import { readRuns } from '../../hub-client/read-runs.ts'
import { resourcePath } from '../../hub-client/resource-path.ts'
import { useLive } from '../api/use-live.ts'
import { withoutCommand } from '../model/deletion-actions.ts'
import { runHref } from '../model/route.ts'
import { Loaded } from '../parts/notices.tsx'
import { Changes, Phases } from '../parts/run-parts.tsx'
import { useConsole } from '../parts/scope.tsx'
import { Ago } from '../parts/time.tsx'
import { ClusterUnits } from './cluster-units.tsx'
import { UnitGraphPanel } from './unit-graph.tsx'

/** The latest Run, or the units of a cluster, and the conditions. */
export const ObjectOverview = ({ view }: { readonly view: ObjectView }) => (
  <>
    {unitKinds.includes(view.kind) && <UnitGraphPanel view={view} />}
    <div class="two">
      {unitKinds.includes(view.kind) && <LatestRun view={view} />}
      {view.kind === clusterKind && <ClusterUnits cluster={view.object as unknown as Cluster} />}
      <Conditions view={view} />
    </div>
  </>
)

const LatestRun = ({ view: { object, kind } }: { readonly view: ObjectView }) => {
  const { api } = useConsole()
  const { name, namespace } = object.metadata
  const runs = useLive(api, {
    key: `latest run ${kind.kind} ${namespace} ${name}`,
    paths: [resourcePath(kind, { namespace, query: { fieldSelector: `metadata.name=${name}` } })],
    read: (hub, signal) => readRuns(hub, { namespace, kind: kind.kind, name }, { limit: 1 }, signal),
  })
  return (
    <section class="panel" aria-label="Latest run">
      <Loaded of={runs}>{({ items: [run] }) => (run ? <Latest run={run} /> : <NoRun />)}</Loaded>
    </section>
  )
}

const Latest = ({ run }: { readonly run: Run }) => (
  <>
    <div class="bar">
      <h2>
        <a href={runHref(run.metadata.namespace ?? '', run.metadata.name)}>Latest run</a>
      </h2>
      <span class="right">
        {`${run.result}, by ${run.cause.type.toLowerCase()}${run.cause.user ? ` of ${run.cause.user}` : ''}, `}
        <Ago time={run.startedAt} />
      </span>
    </div>
    <Phases run={run} />
    <Changes run={run} max={6} />
  </>
)

const NoRun = () => (
  <>
    <div class="bar">
      <h2>Latest run</h2>
    </div>
    <p class="pad quiet">None yet. A run is recorded when a pass changes something, fails, or is requested.</p>
  </>
)

const Conditions = ({ view: { object } }: { readonly view: ObjectView }) => {
  const { conditions = [] } = (object.status ?? {}) as { readonly conditions?: readonly Condition[] }
  return (
    <section class="panel" aria-label="Conditions">
      <div class="bar">
        <h2>Conditions</h2>
      </div>
      {conditions.length === 0 && <p class="pad quiet">None yet.</p>}
      <ul class="facts-list">
        {conditions.map(({ type, status, reason, message, lastTransitionTime }) => (
          <li key={type}>
            <p class="line">
              <b>{type}</b> <span class="mono">{status}</span> <span class="quiet">{reason}</span>
              <span class="right quiet">
                <Ago time={lastTransitionTime} />
              </span>
            </p>
            <p class="quiet break lines">{withoutCommand(message)}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}
