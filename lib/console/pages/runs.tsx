import { runResults } from '../../foundations/kinds/run.ts'
import type { RunTerms } from '../../hub-client/read-runs.ts'
import { namespaceFlag } from '../model/phrases.ts'
import { CopyCommand } from '../parts/copy.tsx'
import { ChoiceTerm, TextTerm, TimeTerm } from '../parts/filters.tsx'
import { useNavigation } from '../parts/navigation.tsx'
import { useConsole } from '../parts/scope.tsx'
import { RunList, useRuns } from './run-list.tsx'

/** What changed, when and why: of all units, between two times. */
export const RunsPage = () => {
  const { namespace } = useConsole()
  const { query } = useNavigation()
  const { since, until, result, by, cluster } = query
  const terms: RunTerms = { namespace, since, until, result, by, cluster }
  const runs = useRuns(terms)
  const shown = namespace ?? runs.data?.onlyIn
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
            command={['keelson runs', namespaceFlag(shown), ...flags].filter(Boolean).join(' ')}
          />
        </div>
      </div>
      <div class="filters">
        <TimeTerm term="since" label="From" />
        <TimeTerm term="until" label="To" />
        <ChoiceTerm term="result" label="Result" all="Any" options={runResults.map(one => [one, one])} isNamed />
        <TextTerm term="by" label="Requested by" isNamed />
      </div>
      <RunList runs={runs} />
    </>
  )
}
