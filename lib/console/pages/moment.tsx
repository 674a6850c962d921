import { changesOf, describeCause, type Run, resultOf } from '../../foundations/kinds/run.ts'
import { runKind, unitPaths } from '../../hub-client/fleet-kinds.ts'
import type { ListPage } from '../../hub-client/list-page.ts'
import { permittedReader } from '../../hub-client/permitted-reader.ts'
import { readAudit } from '../../hub-client/read-audit.ts'
import { readRuns } from '../../hub-client/read-runs.ts'
import { useLive } from '../api/use-live.ts'
import { actionText, type Happening, happenings, isRefused, stateOfEntry, userOfEntry } from '../model/audit-text.ts'
import { clockTime, counted, exactTime, fullTime } from '../model/phrases.ts'
import { runHref, withTerms } from '../model/route.ts'
import { stateOfRun } from '../model/shown-state.ts'
import { TimeTerm } from '../parts/filters.tsx'
import { useNavigation } from '../parts/navigation.tsx'
import { Empty, Loaded } from '../parts/notices.tsx'
import { useConsole } from '../parts/scope.tsx'
import { State } from '../parts/state.tsx'
import { ObjectOf } from './audit.tsx'

const minuteMs = 60_000
const spans = [1, 5, 30] as const
const maxRows = 300
const noRuns: ListPage<Run> = { items: [] }

/** What happened around one time: what people did, and what the hub did by itself, side by side. */
export const MomentPage = () => {
  const { query } = useNavigation()
  const at = Date.parse(query.at ?? '') || Date.now()
  const minutes = spans.find(one => String(one) === query.minutes) ?? 5
  return <Moment at={at} minutes={minutes} />
}

const Moment = ({ at, minutes }: { readonly at: number; readonly minutes: number }) => {
  const { api, namespace } = useConsole()
  const { here } = useNavigation()
  const [from, to] = [at - minutes * minuteMs, at + minutes * minuteMs]
  const [since, until] = [from, to].map(ms => new Date(ms).toISOString())
  const range = { namespace, since, until }
  const page = { limit: maxRows }
  const readAllRuns = permittedReader(runKind, namespace, (hub, one, signal) =>
    readRuns(hub, { ...range, namespace: one }, page, signal),
  )
  const found = useLive(api, {
    key: `moment ${JSON.stringify(range)}`,
    paths: to < Date.now() ? [] : unitPaths(namespace),
    read: async (hub, signal) => {
      // Who may not list Runs sees the requests.
      const [requests, runs] = await Promise.allSettled([readAudit(hub, range, page, signal), readAllRuns(hub, signal)])
      if (requests.status === 'rejected') throw requests.reason
      return runs.status === 'fulfilled'
        ? { requests: requests.value, runs: runs.value, refused: undefined }
        : { requests: requests.value, runs: noRuns, refused: (runs.reason as Error).message }
    },
  })
  const shift = (ms: number) => here({ at: new Date(at + ms).toISOString() })
  return (
    <>
      <div class="head">
        <div>
          <h1>
            {'What happened around '}
            <time dateTime={new Date(at).toISOString()} title={fullTime(new Date(at).toISOString())}>
              {clockTime(at, Date.now())}
            </time>
          </h1>
          <p class="quiet">
            {found.data
              ? `${counted(found.data.requests.items.length, 'request')} and ${counted(found.data.runs.items.length, 'run')} within ${minutes} min.`
              : `Within ${minutes} min.`}
          </p>
        </div>
      </div>
      <div class="filters">
        <TimeTerm term="at" label="Moment" />
        <nav class="chips" aria-label="How far around it">
          <a href={shift(-2 * minutes * minuteMs)}>Earlier</a>
          {spans.map(one => (
            <a key={one} href={here({ minutes: String(one) })} aria-current={one === minutes ? 'true' : undefined}>
              {`± ${one} min`}
            </a>
          ))}
          <a href={shift(2 * minutes * minuteMs)}>Later</a>
        </nav>
      </div>
      <Loaded of={found}>
        {({ requests, runs, refused }) => (
          <section class="panel" aria-label="What happened">
            {refused && <p class="pad quiet">{refused}</p>}
            <Lanes of={happenings(requests.items, runs.items)} at={at} />
            {(requests.continue || runs.continue) && (
              <p class="pad quiet">
                {`Only the last ${maxRows} of each are here: choose a shorter time, or see all of the `}
                <a href={withTerms('/audit', { since, until, namespace })}>audit log</a>
                {' and of the '}
                <a href={withTerms('/runs', { since, until, namespace })}>runs</a>.
              </p>
            )}
          </section>
        )}
      </Loaded>
    </>
  )
}

const Lanes = ({ of: rows, at }: { readonly of: readonly Happening[]; readonly at: number }) => {
  if (rows.length === 0)
    return (
      <Empty title="Nothing happened in this time">
        <p>No request changed anything that you may see, and no pass changed, failed or was requested.</p>
      </Empty>
    )
  const later = rows.findIndex(row => Date.parse(row.at) >= at)
  return (
    <table class="list lanes">
      <thead>
        <tr>
          <th class="fit">Time</th>
          <th class="lane">What was requested</th>
          <th class="lane hub">What the hub did</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <Row key={row.run ? row.run.metadata.name : row.entry.id} row={row} isFirst={index === later && index > 0} />
        ))}
      </tbody>
    </table>
  )
}

/** `isFirst`: of those at the moment and after it. */
const Row = ({ row, isFirst }: { readonly row: Happening; readonly isFirst: boolean }) => (
  <tr class={isFirst ? 'from-here' : undefined}>
    <td class="fit quiet num">
      <time dateTime={row.at} title={fullTime(row.at)}>
        {exactTime(row.at)}
      </time>
    </td>
    <td class="lane main">{row.entry && <Request entry={row.entry} />}</td>
    <td class="lane main hub">{row.run && <Pass run={row.run} />}</td>
  </tr>
)

const Request = ({ entry }: { readonly entry: NonNullable<Happening['entry']> }) => (
  <>
    <ObjectOf entry={entry} />
    <p>
      {isRefused(entry) && <State of={stateOfEntry(entry)} />} <b>{userOfEntry(entry)}</b> {actionText(entry)}
    </p>
  </>
)

const Pass = ({ run }: { readonly run: Run }) => {
  const { metadata, unit, cluster, cause, message } = run
  const state = stateOfRun(run.result)
  return (
    <>
      <a href={runHref(metadata.namespace ?? '', metadata.name)}>{unit.name}</a>
      <small class="quiet">{`${unit.kind} in ${metadata.namespace}${cluster ? `, on ${cluster.name}` : ''}`}</small>
      <p>
        <State of={{ ...state, word: resultOf(run) }} /> <span class="mono">{changesOf(run)}</span>{' '}
        <span class="quiet">{describeCause(cause)}</span>
      </p>
      {state.state === 'failing' && (
        <p class="quiet clamp" title={message}>
          {message}
        </p>
      )}
    </>
  )
}
