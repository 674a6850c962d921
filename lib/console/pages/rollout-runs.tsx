import type { RolloutRun } from '../../foundations/kinds/rollout-run.ts'
import { firstLine } from '../model/phrases.ts'
import { revisionsOf, stateOfRolloutRun } from '../model/rollout-text.ts'
import { State } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'

/** Runs before the latest, the newest first. */
export const EarlierRuns = ({ runs }: { readonly runs: readonly RolloutRun[] }) => (
  <section class="panel" aria-label="Earlier runs">
    <div class="bar">
      <h2>Earlier runs</h2>
    </div>
    {runs.length === 0 && <p class="pad quiet">None yet.</p>}
    <ul class="facts-list">
      {runs.map(run => {
        const { startedAt, message = '' } = run.status ?? {}
        return (
          <li key={run.metadata.name}>
            <p class="line">
              <State of={stateOfRolloutRun(run.status)} />
              <span class="mono">{revisionsOf(run)}</span>
              <span class="right quiet">
                <Ago time={startedAt} />
              </span>
            </p>
            <p class="quiet break">{`${run.metadata.name}: ${firstLine(message)}`}</p>
          </li>
        )
      })}
    </ul>
  </section>
)
