import type { Comparison } from '../../foundations/fleet/comparison.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { readComparison } from '../../hub-client/read-live.ts'
import { useOnce } from '../api/use-once.ts'
import { comparisonHeadline, describeDesired } from '../model/comparison-text.ts'
import { comparedTitles } from '../model/plan-text.ts'
import { useNavigation } from '../parts/navigation.tsx'
import { Loaded } from '../parts/notices.tsx'
import { useConsole } from '../parts/scope.tsx'
import { Since } from '../parts/time.tsx'
import { PlannedChanges } from './planned-changes.tsx'

/** The cluster of a unit beside what the unit applied last or, for a ResourceSet, renders, compared when the page is opened. */
export const ObjectComparison = ({ unit }: { readonly unit: KubernetesObject }) => {
  const { api } = useConsole()
  const { kind, metadata } = unit
  const comparison = useOnce(api, {
    key: `compare ${kind} ${metadata.namespace} ${metadata.name}`,
    read: (hub, signal) => readComparison(hub, unit, signal),
  })
  return <Loaded of={comparison}>{found => <Compared found={found} again={comparison.refresh} />}</Loaded>
}

const Compared = ({ found, again }: { readonly found: Comparison; readonly again: () => void }) => {
  const { here } = useNavigation()
  const { comparedAt, desired, revision, counts, changes, moreChanges, refused } = found
  return (
    <>
      <section class="panel" aria-label="Comparison">
        <div class="bar">
          <h2>{comparisonHeadline(found)}</h2>
          <span class="right links">
            <span>
              {'compared '}
              <Since time={comparedAt} />
              {' ago'}
            </span>
            <button type="button" class="small" onClick={again}>
              Compare again
            </button>
            <a href={here({ compare: undefined, object: undefined, by: undefined })}>What is reported</a>
          </span>
        </div>
        <p class="pad quiet break">{`− is on the cluster, + ${describeDesired(desired)}: ${revision}.`}</p>
        {refused.map(line => (
          <p key={line} class="pad break">{`Not compared: ${line}`}</p>
        ))}
      </section>
      {changes.length > 0 && <PlannedChanges {...{ changes, moreChanges, counts }} titles={comparedTitles} />}
    </>
  )
}
