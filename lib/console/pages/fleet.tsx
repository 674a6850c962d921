import type { CauseSummary, FleetSummary } from '../../foundations/fleet/fleet-summary.ts'
import { fleetPaths } from '../../hub-client/fleet-kinds.ts'
import { type Partly, readFleet } from '../../hub-client/read-fleet.ts'
import { withQuery } from '../../hub-client/with-query.ts'
import { useLive } from '../api/use-live.ts'
import { counted, firstLine, fleetReach, fleetSentence, heldUp } from '../model/phrases.ts'
import { objectHref, parseObjectName } from '../model/route.ts'
import { stateOfCause } from '../model/shown-state.ts'
import { useNavigation } from '../parts/navigation.tsx'
import { Empty, Loaded, Refused } from '../parts/notices.tsx'
import { useConsole } from '../parts/scope.tsx'
import { State } from '../parts/state.tsx'
import { Since } from '../parts/time.tsx'
import { ClusterTiles } from './cluster-tiles.tsx'
import { WhatChanged } from './what-changed.tsx'

/** What is wrong anywhere, in the first line and the rows below it; then the clusters, and what changed. */
export const FleetPage = () => {
  const { api, namespace } = useConsole()
  const terms = { namespace, groupBy: useNavigation().query.by }
  const fleet = useLive(api, {
    ...{ key: `fleet ${JSON.stringify(terms)}`, paths: fleetPaths(namespace), keepsOld: true },
    read: (hub, signal) => readFleet(hub, terms, signal),
  })
  return <Loaded of={fleet}>{summary => <Fleet summary={summary} />}</Loaded>
}

const Fleet = ({ summary }: { readonly summary: FleetSummary & Partly }) => {
  const { causes, moreCauses, rows } = summary
  if (rows.length === 0 && causes.length === 0) return <Nothing refused={summary} />
  return (
    <>
      <div class="head">
        <div>
          <h1>{fleetSentence(summary)}</h1>
          <p class="quiet">{fleetReach(summary)}</p>
        </div>
      </div>
      {causes.length > 0 && (
        <section class="panel" aria-label="What is wrong">
          <ul class="causes">
            {causes.map(cause => (
              <CauseRow key={`${cause.object} ${cause.reason} ${cause.message}`} cause={cause} />
            ))}
            {moreCauses > 0 && <li class="quiet">and {counted(moreCauses, 'more cause')}</li>}
          </ul>
        </section>
      )}
      <div class="two">
        <ClusterTiles summary={summary} />
        <WhatChanged />
      </div>
      <Refused of={summary} />
    </>
  )
}

/** What, since when, and what it holds up; a row for each cause, however many units fail for it. */
const CauseRow = ({ cause }: { readonly cause: CauseSummary }) => {
  const { object, reason, message, since } = cause
  const found = parseObjectName(object)
  const name = found?.name ?? object
  const held = heldUp(cause)
  const shown = stateOfCause(cause)
  return (
    <li>
      <State of={shown} />
      <div class="what">
        <p class="line">
          {found ? <a href={objectHref(found)}>{name}</a> : <strong>{name}</strong>}{' '}
          <span>{found && <span class="quiet">{`${found.kind} in ${found.namespace}`}</span>}</span>
        </p>
        <p class="clamp">
          {shown.state === 'unreachable' ? 'Does not answer. ' : `${reason}: `}
          {firstLine(message)}
        </p>
        {held && (
          <p class="quiet">
            {found?.kind === 'Cluster' ? <a href={withQuery('/units', { cluster: object })}>{held}</a> : held}
          </p>
        )}
      </div>
      <span class="quiet when">
        {shown.word === 'Held' && found ? (
          <a class="button" href={objectHref(found)}>
            Review
          </a>
        ) : (
          <Since time={since} />
        )}
      </span>
    </li>
  )
}

const Nothing = ({ refused }: { readonly refused: Partly }) => (
  <Empty title="Nothing is deployed yet" isPage>
    <p>Name a repository, and what of it to apply:</p>
    <pre>
      {`flux create source git my-app --url=https://github.com/me/my-app --branch=main
flux create kustomization my-app --source=my-app --path=./deploy --prune=true`}
    </pre>
    <Refused of={refused} />
  </Empty>
)
