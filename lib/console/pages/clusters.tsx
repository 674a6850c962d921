import { objectName } from '../../foundations/fleet/fleet-clusters.ts'
import { statusCondition } from '../../foundations/fleet/object-state.ts'
import type { FleetRow } from '../../foundations/fleet/fleet-summary.ts'
import type { Cluster } from '../../foundations/kinds/cluster.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { clusterKind, unitKinds } from '../api/fleet-kinds.ts'
import { type FleetView, readFleet } from '../api/read-fleet.ts'
import { resourcePath } from '../api/resource-path.ts'
import { useLive } from '../api/use-live.ts'
import { counted } from '../model/phrases.ts'
import { objectHref, parseObjectName, withQuery } from '../model/route.ts'
import { shown, shownStateOf } from '../model/shown-state.ts'
import { CopyCommand } from '../parts/copy.tsx'
import { useNavigation } from '../parts/navigation.tsx'
import { Empty, Loaded } from '../parts/notices.tsx'
import { useConsole } from '../parts/scope.tsx'
import { State } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'

/** Each cluster in a row, those in trouble first. */
export const ClustersPage = () => {
  const { api, namespace } = useConsole()
  const fleet = useLive(api, {
    key: `clusters ${namespace ?? ''}`,
    paths: [clusterKind, ...unitKinds].map(kind => resourcePath(kind, { namespace })),
    read: (hub, signal) => readFleet(hub, namespace, signal),
  })
  return <Loaded of={fleet}>{view => <Clusters view={view} />}</Loaded>
}

const Clusters = ({ view: { summary, clusters } }: { readonly view: FleetView }) => {
  const { query } = useNavigation()
  const { namespace } = useConsole()
  const byName = new Map(clusters.map(cluster => [objectName(cluster as KubernetesObject), cluster]))
  const rows = summary.rows.filter(({ cluster }) => !query.q || cluster.toLowerCase().includes(query.q.toLowerCase()))
  const { total, unreachable } = summary.clusters
  return (
    <>
      <div class="head">
        <div>
          <h1>
            {unreachable > 0 ? `${unreachable} of ${counted(total, 'cluster')} can’t be reached` : counted(total, 'cluster')}
          </h1>
        </div>
        <div class="actions">
          <CopyCommand command={`kubectl get clusters ${namespace ? `-n ${namespace}` : '-A'}`} />
        </div>
      </div>
      <section class="panel" aria-label="Clusters">
        {rows.length === 0 ? <NoClusters /> : <ClusterTable rows={rows} byName={byName} />}
      </section>
    </>
  )
}

interface TableProps {
  readonly rows: readonly FleetRow[]
  readonly byName: ReadonlyMap<string, Cluster>
}

const ClusterTable = ({ rows, byName }: TableProps) => (
  <table class="list" data-rows>
    <thead>
      <tr>
        <th class="fit">State</th>
        <th>Cluster</th>
        <th class="fit num">Units</th>
        <th class="fit num">Failing</th>
        <th class="fit wide">Version</th>
        <th class="fit wide">Response</th>
        <th class="wide">Credential</th>
      </tr>
    </thead>
    <tbody>
      {rows.map(row => (
        <Row key={row.cluster} row={row} cluster={byName.get(row.cluster)} />
      ))}
    </tbody>
  </table>
)

const Row = ({ row, cluster }: { readonly row: FleetRow; readonly cluster: Cluster | undefined }) => {
  const found = parseObjectName(row.cluster)
  const name = found?.name ?? 'the hub itself'
  const failing = row.units.failed + row.units.stalled
  const state = cluster ? shownStateOf(cluster as KubernetesObject) : failing > 0 ? shown('failing') : shown('ready', 'Not probed')
  const { latency, credential } = cluster?.status ?? {}
  const expiring = cluster && statusCondition(cluster as KubernetesObject, 'CredentialsValid')?.reason === 'ExpiresSoon'
  return (
    <tr>
      <td class="fit">
        <State of={cluster || failing > 0 ? state : shown('suspended', 'Not probed')} />
      </td>
      <td class="cut main">
        <a href={cluster && found ? objectHref(found) : withQuery('/units', { cluster: row.cluster })} title={row.cluster}>
          {name}
        </a>
        <small class="quiet">{found ? `${found.kind} in ${found.namespace}` : 'what applies to the hub'}</small>
      </td>
      <td class="fit num">
        <a href={withQuery('/units', { cluster: row.cluster })}>{row.units.total}</a>
      </td>
      <td class="fit num">{failing > 0 ? <b>{failing}</b> : <span class="quiet">0</span>}</td>
      <td class="fit wide">{row.version}</td>
      <td class="fit wide">{latency}</td>
      <td class="cut wide">
        {credential?.type}
        {credential?.validUntil && (
          <span class={expiring ? 'state waiting' : 'quiet'}>
            <span>
              {' until '}
              <Ago time={credential.validUntil} />
            </span>
          </span>
        )}
      </td>
    </tr>
  )
}

const NoClusters = () => (
  <Empty title="There are no clusters here">
    <p>Give the hub a kubeconfig, and it probes the cluster:</p>
    <pre>
      {`kubectl create secret generic prod --from-file=value=./kubeconfig -n flux-system
kubectl apply -f - <<< '{"apiVersion":"fleet.keelson.dev/v1alpha1","kind":"Cluster","metadata":{"name":"prod","namespace":"flux-system"},"spec":{"kubeConfig":{"secretRef":{"name":"prod"}}}}'`}
    </pre>
  </Empty>
)
