import type { UnitRow } from '../../foundations/fleet/unit-rows.ts'
import { hubName } from '../../foundations/fleet/versions.ts'
import { revisionText } from '../model/phrases.ts'
import { objectHref, parseObjectName } from '../model/route.ts'
import { shownFrom } from '../model/shown-state.ts'
import { Latest } from '../parts/latest.tsx'
import { State } from '../parts/state.tsx'

interface Props {
  readonly rows: readonly UnitRow[]
  /** False where all are on one cluster. */
  readonly withCluster?: boolean
}

/** Units, a row each; on a narrow screen in two lines. */
export const UnitTable = ({ rows, withCluster = true }: Props) => (
  <table class="list" data-rows>
    <thead>
      <tr>
        <th class="fit">State</th>
        <th>Unit</th>
        {withCluster && <th>Cluster</th>}
        <th class="fit">Revision</th>
        <th class="wide">Message</th>
        <th class="fit num">Since</th>
      </tr>
    </thead>
    <tbody>
      {rows.map(row => (
        <Row key={`${row.kind}/${row.namespace}/${row.name}`} row={row} withCluster={withCluster} />
      ))}
    </tbody>
  </table>
)

const Row = ({ row, withCluster }: { readonly row: UnitRow; readonly withCluster: boolean }) => {
  const { kind, namespace, name, clusters, state, reason, message, waiting, undone, revision, since } = row
  return (
    <tr>
      <td class="fit">
        <State of={shownFrom({ state, reason, isWaiting: waiting !== undefined })} />
      </td>
      <td class="cut main">
        <a href={objectHref({ kind, namespace, name })} title={name}>
          {name}
        </a>
        <small class="quiet">
          {`${kind} in ${namespace}`}
          {undone !== undefined && (
            <>
              {', '}
              <b title={undone}>undone</b>
            </>
          )}
        </small>
      </td>
      {withCluster && (
        <td class="cut place" title={clusters.join(', ')}>
          {clusters.map(clusterText).join(', ')}
        </td>
      )}
      <td class="fit mono" title={revision}>
        {revisionText(revision)}
      </td>
      <Latest message={message} since={since} />
    </tr>
  )
}

const clusterText = (cluster: string): string =>
  cluster === hubName ? 'the hub itself' : (parseObjectName(cluster)?.name ?? cluster)
