import type { Run } from '../../foundations/kinds/run.ts'
import { clockTime, counted, revisionText } from '../model/phrases.ts'
import { Changes } from './run-parts.tsx'
import { useNow } from './time.tsx'

const maxRuns = 3
const maxChanges = 5

/** What a return to an earlier run takes back: the changes of those after it, the newest first. */
export const TakenBack = ({ runs }: { readonly runs: readonly Run[] }) => {
  const now = useNow(60_000)
  return (
    <section class="taken-back" aria-label="What it takes back">
      <h3>Takes back</h3>
      {runs.slice(0, maxRuns).map(run => (
        <div key={run.metadata.name}>
          <p class="quiet">{`${revisionText(run.revision)}, ${clockTime(Date.parse(run.startedAt), now)}`}</p>
          <Changes run={run} max={maxChanges} />
        </div>
      ))}
      {runs.length > maxRuns && <p class="quiet">{`and ${counted(runs.length - maxRuns, 'earlier run')}`}</p>}
    </section>
  )
}
