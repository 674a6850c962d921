import type { ClusterSummary } from '../../foundations/fleet/cluster-summary.ts'
import { fleetPaths } from '../../hub-client/fleet-kinds.ts'
import { type Partly, readClusters } from '../../hub-client/read-fleet.ts'
import { withQuery } from '../../hub-client/with-query.ts'
import { useLive } from '../api/use-live.ts'
import { counted, namespaceFlag } from '../model/phrases.ts'
import { objectHref, parseObjectName } from '../model/route.ts'
import { stateOfCluster } from '../model/shown-state.ts'
import { CopyCommand } from '../parts/copy.tsx'
import { SearchTerm, TextTerm } from '../parts/filters.tsx'
import { useNavigation } from '../parts/navigation.tsx'
import { Empty, Loaded, Refused } from '../parts/notices.tsx'
import { useConsole } from '../parts/scope.tsx'
import { State } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'

/** Each cluster in a row, those in trouble first. */
export const ClustersPage = () => {
  const { api, namespace } = useConsole()
  const { query } = useNavigation()
  const terms = { namespace, search: query.q, clusterSelector: query.clusters }
  const clusters = useLive(api, {
    ...{ key: `clusters ${JSON.stringify(terms)}`, paths: fleetPaths(namespace), keepsOld: true },
    read: (hub, signal) => readClusters(hub, terms, signal),
  })
  return <Loaded of={clusters}>{found => <Clusters found={found} />}</Loaded>
}

const Clusters = ({ found }: { readonly found: { readonly items: readonly ClusterSummary[] } & Partly }) => {
  const { namespace } = useConsole()
  const { query } = useNavigation()
  const isFiltered = Boolean(query.q || query.clusters)
  const selected = query.clusters ? ` -l '${query.clusters}'` : ''
  const rows = found.items.toSorted((a, b) => trouble(b) - trouble(a))
  const lost = rows.filter(row => stateOfCluster(row).state === 'unreachable').length
  return (
    <>
      <div class="head">
        <div>
          <h1>
            {lost > 0
              ? `${lost} of ${counted(rows.length, 'cluster')} can’t be reached`
              : counted(rows.length, 'cluster')}
          </h1>
        </div>
        <div class="actions">
          <CopyCommand command={`kubectl get clusters ${namespaceFlag(namespace)}${selected}`} />
        </div>
      </div>
      {(rows.length > 0 || isFiltered) && (
        <div class="filters">
          <SearchTerm term="q" label="Filter by name, address and version" placeholder="Name, address, version" />
          <TextTerm term="clusters" label="Label selector" placeholder="Label: region=eu" />
        </div>
      )}
      <section class="panel" aria-label="Clusters">
        {rows.length === 0 ? <NoClusters isFiltered={isFiltered} /> : <ClusterTable rows={rows} />}
      </section>
      <Refused of={found} />
    </>
  )
}

/** Higher for what needs somebody first. */
const trouble = (row: ClusterSummary): number =>
  (stateOfCluster(row).state === 'unreachable' ? 1_000_000 : 0) +
  10 * failingOf(row) +
  (row.expiry || row.unhealthy ? 1 : 0)

const failingOf = ({ units }: ClusterSummary): number => units.failed + units.stalled

const ClusterTable = ({ rows }: { readonly rows: readonly ClusterSummary[] }) => (
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
        <Row key={`${row.namespace}/${row.name} ${row.access}`} row={row} />
      ))}
    </tbody>
  </table>
)

const Row = ({ row }: { readonly row: ClusterSummary }) => {
  const { namespace, name, access, units, version, latency, credential, expiry, unhealthy, held } = row
  const failing = failingOf(row)
  const cluster = name === undefined ? access : `Cluster/${namespace}/${name}`
  const href = name === undefined ? withQuery('/units', { cluster }) : objectHref({ kind: 'Cluster', namespace, name })
  return (
    <tr>
      <td class="fit">
        <State of={stateOfCluster(row)} />
      </td>
      <td class="cut main">
        <a href={href} title={cluster}>
          {name ?? parseObjectName(access)?.name ?? access}
        </a>
        <small class={unhealthy ? 'waiting' : 'quiet'}>
          {unhealthy ?? (held && held.length > 0 ? `holds ${held.join(', ')}` : name ? `in ${namespace}` : access)}
        </small>
      </td>
      <td class="fit num">
        <a href={withQuery('/units', { cluster })}>{counted(units.total, 'unit')}</a>
      </td>
      <td class={failing > 0 ? 'fit num' : 'fit num nothing'}>
        {failing > 0 ? <b class="failing">{`${failing} failing`}</b> : <span class="quiet">none</span>}
      </td>
      <td class="fit wide">{version}</td>
      <td class="fit wide">{latency}</td>
      <td class="cut wide">
        {credential?.type}
        {credential?.validUntil && (
          <span class={expiry ? 'waiting' : 'quiet'} title={expiry}>
            {' until '}
            <Ago time={credential.validUntil} />
          </span>
        )}
      </td>
    </tr>
  )
}

const NoClusters = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No cluster matches">
      <p>
        <a href="/clusters">Show all clusters</a>
      </p>
    </Empty>
  ) : (
    <Empty title="There are no clusters here">
      <p>Give the hub a kubeconfig, and it probes the cluster:</p>
      <pre>
        {`kubectl create secret generic prod --from-file=value=./kubeconfig -n flux-system
kubectl apply -f - <<EOF
apiVersion: fleet.keelson.dev/v1alpha1
kind: Cluster
metadata: {name: prod, namespace: flux-system}
spec: {kubeConfig: {secretRef: {name: prod}}}
EOF`}
      </pre>
    </Empty>
  )
