import type { ComponentChildren } from 'preact'
import { changesOf, describeCause, type Run, resultOf } from '../../foundations/kinds/run.ts'
import { runKind, unitPaths } from '../../hub-client/fleet-kinds.ts'
import type { ListPage } from '../../hub-client/list-page.ts'
import { type OnlyIn, permittedReader } from '../../hub-client/permitted-reader.ts'
import { type RunTerms, readRuns } from '../../hub-client/read-runs.ts'
import { type Live, useLive } from '../api/use-live.ts'
import { clockTime, firstLine, fullTime, revisionText } from '../model/phrases.ts'
import { momentHref, runHref } from '../model/route.ts'
import { stateOfRun } from '../model/shown-state.ts'
import { useNavigation } from '../parts/navigation.tsx'
import { Empty, Loaded, Narrowed } from '../parts/notices.tsx'
import { Further } from '../parts/pager.tsx'
import { useConsole } from '../parts/scope.tsx'
import { State } from '../parts/state.tsx'
import { useNow } from '../parts/time.tsx'

const pageSize = 100

interface Props {
  readonly runs: Live<ListPage<Run> & OnlyIn>
  /** All are of one unit: its name is not repeated. */
  readonly isWhole?: boolean
  /** What can be done with a run. */
  readonly actionOf?: (run: Run) => ComponentChildren
}

/** A page of Runs, the newest first: that of the address. */
export const useRuns = (terms: RunTerms): Live<ListPage<Run> & OnlyIn> => {
  const { api } = useConsole()
  const { query } = useNavigation()
  const page = { limit: pageSize, continue: query.continue }
  return useLive(api, {
    key: `runs ${JSON.stringify(terms)} ${query.continue ?? ''}`,
    paths: unitPaths(terms.namespace),
    read: permittedReader(runKind, terms.namespace, (hub, namespace, signal) =>
      readRuns(hub, { ...terms, namespace }, page, signal),
    ),
  })
}

/** The runs of a unit. */
export const RunsOfUnit = ({ terms, actionOf }: Pick<Props, 'actionOf'> & { readonly terms: RunTerms }) => (
  <RunList runs={useRuns(terms)} isWhole actionOf={actionOf} />
)

/** A page of Runs. */
export const RunList = ({ runs, isWhole = false, actionOf }: Props) => {
  return (
    <section class="panel" aria-label="Runs">
      <Loaded of={runs}>
        {({ items, continue: next, onlyIn }) => (
          <>
            <Narrowed to={onlyIn} />
            {items.length === 0 ? <NoRuns /> : <RunTable runs={items} isWhole={isWhole} actionOf={actionOf} />}
            <Further next={next} text="Earlier runs" />
          </>
        )}
      </Loaded>
    </section>
  )
}

const NoRuns = () => (
  <Empty title="No runs in this time">
    <p>A run is recorded when a pass changes something, fails, or is requested. In a terminal:</p>
    <pre>{'keelson runs -A --since 24h\nflux reconcile kustomization my-app'}</pre>
  </Empty>
)

interface Shown extends Pick<Props, 'actionOf'> {
  readonly isWhole: boolean
}

const RunTable = ({ runs, isWhole, actionOf }: Shown & { readonly runs: readonly Run[] }) => {
  const now = useNow(60_000)
  return (
    <table class="list" data-rows>
      <thead>
        <tr>
          <th class="fit">Time</th>
          <th class="fit">Result</th>
          {!isWhole && <th>Unit</th>}
          <th class="fit">Changes</th>
          <th class="wide">Cause</th>
          <th class="fit">Revision</th>
          <th class="wide">Message</th>
          {actionOf && <th class="fit">Return</th>}
        </tr>
      </thead>
      <tbody>
        {runs.map(run => (
          <Row
            key={`${run.metadata.namespace}/${run.metadata.name}`}
            run={run}
            isWhole={isWhole}
            actionOf={actionOf}
            now={now}
          />
        ))}
      </tbody>
    </table>
  )
}

const Row = ({ run, isWhole, actionOf, now }: Shown & { readonly run: Run; readonly now: number }) => {
  const { metadata, unit, cluster, cause, revision, message = '', startedAt } = run
  const href = runHref(metadata.namespace ?? '', metadata.name)
  const time = (
    <time dateTime={startedAt} title={fullTime(startedAt)}>
      {clockTime(Date.parse(startedAt), now)}
    </time>
  )
  return (
    <tr>
      <td class="fit quiet time">
        <a href={isWhole ? href : momentHref(startedAt)}>{time}</a>
      </td>
      <td class="fit">
        <State of={{ ...stateOfRun(run.result), word: resultOf(run) }} />
      </td>
      {!isWhole && (
        <td class="cut main">
          <a href={href} title={unit.name}>
            {unit.name}
          </a>
          <small class="quiet">{`${unit.kind} in ${metadata.namespace}${cluster ? `, on ${cluster.name}` : ''}`}</small>
        </td>
      )}
      <td class="fit mono">{changesOf(run)}</td>
      <td class="cut wide">{describeCause(cause)}</td>
      <td class="fit mono" title={revision}>
        {revisionText(revision)}
      </td>
      <td class="cut wide quiet" title={message}>
        {firstLine(message)}
      </td>
      {actionOf && <td class="fit">{actionOf(run)}</td>}
    </tr>
  )
}
