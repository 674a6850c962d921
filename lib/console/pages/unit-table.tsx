import { objectStateOf, statusCondition } from '../../foundations/fleet/object-state.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { firstLine, revisionText } from '../model/phrases.ts'
import { objectHref, parseObjectName } from '../model/route.ts'
import { revisionOf, type UnitRow } from '../model/unit-filter.ts'
import { State } from '../parts/state.tsx'
import { Since } from '../parts/time.tsx'

/** Units, a row each; on a narrow screen in two lines. `withCluster` is false where all are on one. */
export const UnitTable = ({
  rows,
  withCluster = true,
}: {
  readonly rows: readonly UnitRow[]
  readonly withCluster?: boolean
}) => (
  <table class="list" data-rows>
    <thead>
      <tr>
        <th class="fit">State</th>
        <th>Unit</th>
        {withCluster && <th>Cluster</th>}
        <th>Revision</th>
        <th class="wide">Message</th>
        <th class="fit num">Since</th>
      </tr>
    </thead>
    <tbody>
      {rows.map(row => (
        <Row key={`${row.object.kind} ${row.object.metadata.uid}`} row={row} withCluster={withCluster} />
      ))}
    </tbody>
  </table>
)

const Row = ({ row: { object, shown, cluster }, withCluster }: { readonly row: UnitRow; readonly withCluster: boolean }) => {
  const { kind, metadata } = object
  const message = firstLine(objectStateOf(object).message)
  return (
    <tr>
      <td class="fit">
        <State of={shown} />
      </td>
      <td class="cut main">
        <a href={objectHref({ kind, namespace: metadata.namespace, name: metadata.name })} title={metadata.name}>
          {metadata.name}
        </a>
        <small class="quiet">{`${kind} in ${metadata.namespace}`}</small>
      </td>
      {withCluster && (
        <td class="cut" title={cluster ?? 'the hub itself'}>
          {cluster ? (parseObjectName(cluster)?.name ?? cluster) : <span class="quiet">the hub itself</span>}
        </td>
      )}
      <td class="cut mono" title={revisionOf(object)}>
        {revisionText(revisionOf(object))}
      </td>
      <td class="cut wide quiet" title={message}>
        {message}
      </td>
      <td class="fit num quiet">
        <Since time={sinceOf(object)} />
      </td>
    </tr>
  )
}

const sinceOf = (object: KubernetesObject): string | undefined =>
  statusCondition(object, 'Ready')?.lastTransitionTime ?? object.metadata.creationTimestamp
