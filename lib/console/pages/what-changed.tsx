import { changesOf, type Run } from '../../foundations/kinds/run.ts'
import { runKind, unitPaths } from '../../hub-client/fleet-kinds.ts'
import { permittedReader } from '../../hub-client/permitted-reader.ts'
import { readRuns } from '../../hub-client/read-runs.ts'
import { useLive } from '../api/use-live.ts'
import { clockTime, counted, firstLine, fullTime, revisionText } from '../model/phrases.ts'
import { runHref } from '../model/route.ts'
import { type RunHour, runsByHour } from '../model/run-hours.ts'
import { stateOfRun } from '../model/shown-state.ts'
import { isForbidden, Loaded } from '../parts/notices.tsx'
import { useConsole } from '../parts/scope.tsx'
import { State } from '../parts/state.tsx'
import { useNow } from '../parts/time.tsx'

const hours = 24
const hourMs = 3_600_000
const maxRuns = 500
const shownRuns = 8

/** The Runs of the last day: how many an hour, and the latest. */
export const WhatChanged = () => {
  const { api, namespace } = useConsole()
  const runs = useLive(api, {
    key: `changed ${namespace ?? ''}`,
    paths: unitPaths(namespace),
    read: permittedReader(runKind, namespace, (hub, one, signal) =>
      readRuns(
        hub,
        { namespace: one, since: new Date(Date.now() - hours * hourMs).toISOString() },
        { limit: maxRuns },
        signal,
      ),
    ),
  })
  return (
    <section class="panel" aria-label="What changed">
      <div class="bar">
        <h2>
          <a href="/runs">What changed</a>
        </h2>
        <span class="right">last 24 hours</span>
      </div>
      {isForbidden(runs.error) ? (
        <p class="pad quiet break">{`Not shown: ${runs.error.message}`}</p>
      ) : (
        <Loaded of={runs}>{({ items }) => <Changes runs={items} />}</Loaded>
      )}
    </section>
  )
}

const Changes = ({ runs }: { readonly runs: readonly Run[] }) => {
  const now = useNow(60_000)
  if (runs.length === 0) return <p class="pad quiet">Nothing has changed.</p>
  return (
    <>
      <Histogram bars={runsByHour(runs, now, hours)} now={now} />
      <ol class="changes">
        {runs.slice(0, shownRuns).map(run => (
          <li key={`${run.metadata.namespace}/${run.metadata.name}`}>
            <time class="quiet" dateTime={run.startedAt} title={fullTime(run.startedAt)}>
              {clockTime(Date.parse(run.startedAt), now)}
            </time>
            <div class="what">
              <a href={runHref(run.metadata.namespace ?? '', run.metadata.name)}>
                <State of={{ ...stateOfRun(run.result), word: run.unit.name }} />
              </a>
              <p class="quiet clamp">{changeText(run)}</p>
            </div>
          </li>
        ))}
      </ol>
      {runs.length > shownRuns && (
        <p class="pad quiet">
          <a href="/runs">{`All ${runs.length >= maxRuns ? `${maxRuns} and more` : counted(runs.length, 'run')}`}</a>
        </p>
      )}
    </>
  )
}

/** What a Run did in one line: `3f9c2e1 by payments-team: +1 ~2`. */
const changeText = (run: Run): string => {
  const { revision, cause, message, result, cluster } = run
  const by = cause.user ? ` by ${cause.user}` : ''
  const where = cluster ? `${cluster.name}, ` : ''
  const what =
    result === 'Failed' || result === 'Stalled' ? firstLine(message ?? '') : changesOf(run) || result.toLowerCase()
  return `${where}${revisionText(revision)}${by}: ${what}`
}

const Histogram = ({ bars, now }: { readonly bars: readonly RunHour[]; readonly now: number }) => {
  const most = Math.max(1, ...bars.map(({ total }) => total))
  const total = bars.reduce((sum, bar) => sum + bar.total, 0)
  const failed = bars.reduce((sum, bar) => sum + bar.failed, 0)
  return (
    <>
      <div class="hist" role="img" aria-label={`${counted(total, 'run')} in 24 hours, ${failed} failed`}>
        {bars.map(({ from, total, failed }) => (
          <i
            key={from}
            style={{ height: `${(total / most) * 100}%` }}
            title={`${clockTime(from, now)}: ${total}, ${failed} failed`}
          >
            {failed > 0 && <b style={{ height: `${(failed / total) * 100}%` }} />}
          </i>
        ))}
      </div>
      <div class="hours" aria-hidden="true">
        {[0, 6, 12, 18, 23].map(at => (
          <span key={at}>{clockTime(bars[at]!.from, bars[at]!.from)}</span>
        ))}
      </div>
    </>
  )
}
