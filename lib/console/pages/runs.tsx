import { runResults } from '../../foundations/kinds/run.ts'
import type { RunTerms } from '../../hub-client/read-runs.ts'
import { localInput, timeOfInput } from '../model/time-input.ts'
import { CopyCommand } from '../parts/copy.tsx'
import { useNavigation } from '../parts/navigation.tsx'
import { useConsole } from '../parts/scope.tsx'
import { RunList } from './run-list.tsx'

/** What changed, when and why: of all units, between two times. */
export const RunsPage = () => {
  const { namespace } = useConsole()
  const { query, here, go } = useNavigation()
  const { since, until, result, by, cluster } = query
  const terms: RunTerms = { namespace, since, until, result, by, cluster }
  const set = (name: string, value: string) => go(here({ [name]: value, continue: undefined }), 'replace')
  const flags = [
    since && `--since ${since}`,
    until && `--until ${until}`,
    result && `--result ${result}`,
    by && `--by ${by}`,
  ]
  return (
    <>
      <div class="head">
        <div>
          <h1>What changed</h1>
          <p class="quiet">Passes that changed something, failed, or were requested; the newest first.</p>
        </div>
        <div class="actions">
          <CopyCommand
            label="Copy as command"
            command={['keelson runs', namespace ? `-n ${namespace}` : '-A', ...flags].filter(Boolean).join(' ')}
          />
        </div>
      </div>
      <div class="filters">
        <label class="field named">
          From
          <input
            type="datetime-local"
            value={localInput(since)}
            onChange={event => set('since', timeOfInput(event.currentTarget.value))}
          />
        </label>
        <label class="field named">
          To
          <input
            type="datetime-local"
            value={localInput(until)}
            onChange={event => set('until', timeOfInput(event.currentTarget.value))}
          />
        </label>
        <label class="field named">
          Result
          <select value={result ?? ''} onChange={event => set('result', event.currentTarget.value)}>
            <option value="">Any</option>
            {runResults.map(one => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
        <label class="field named">
          Requested by
          <input value={by ?? ''} spellcheck={false} onChange={event => set('by', event.currentTarget.value)} />
        </label>
      </div>
      <RunList terms={terms} />
    </>
  )
}
