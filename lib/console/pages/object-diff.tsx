import { isAllowed } from '../../hub-client/allowed-actions.ts'
import { planKind } from '../../hub-client/fleet-kinds.ts'
import { type DriftMode, type ReportedDrift, readDrift } from '../../hub-client/read-drift.ts'
import type { ObjectView } from '../../hub-client/read-object.ts'
import { useLive } from '../api/use-live.ts'
import { counted } from '../model/phrases.ts'
import { runHref } from '../model/route.ts'
import { useNavigation } from '../parts/navigation.tsx'
import { Empty, Loaded } from '../parts/notices.tsx'
import { Changes } from '../parts/run-parts.tsx'
import { useConsole } from '../parts/scope.tsx'
import { Since } from '../parts/time.tsx'
import { ObjectComparison } from './object-comparison.tsx'

/** How the cluster differs from what the unit has applied there: as it is reported, or compared now. */
export const ObjectDiff = ({ view }: { readonly view: ObjectView }) => {
  const { query } = useNavigation()
  return query.compare === 'now' ? <ObjectComparison unit={view.object} /> : <KnownDrift view={view} />
}

const KnownDrift = ({ view: { object, kind } }: { readonly view: ObjectView }) => {
  const { api } = useConsole()
  const { name, namespace = '', resourceVersion } = object.metadata
  const drift = useLive(api, {
    // Each state of the unit is another question.
    ...{ key: `diff ${kind.kind} ${namespace} ${name} ${resourceVersion}`, paths: [], keepsOld: true },
    read: async (hub, signal) => {
      const [found, isOffered] = await Promise.all([
        readDrift(hub, object, signal),
        isAllowed(hub, { kind: planKind, verb: 'list', namespace }),
      ])
      return { ...found, isOffered }
    },
  })
  return (
    <section class="panel" aria-label="Diff">
      <Loaded of={drift}>
        {({ mode, reported, refused, isOffered }) => (
          <>
            {reported ? <Reported drift={reported} namespace={namespace} /> : <NoDrift mode={mode} />}
            {refused.map(line => (
              <p key={line} class="pad quiet break">{`The values are not shown: ${line}`}</p>
            ))}
            <CompareNow isOffered={isOffered} namespace={namespace} />
          </>
        )}
      </Loaded>
    </section>
  )
}

interface CompareNowProps {
  readonly isOffered: boolean
  readonly namespace: string
}

/** Leads to a fresh comparison, which shows as much as a plan does. */
const CompareNow = ({ isOffered, namespace }: CompareNowProps) => {
  const { here } = useNavigation()
  const { api } = useConsole()
  if (!isOffered)
    return (
      <p class="pad quiet">{`No comparison on demand: ${api.user.name} may not list plans in the namespace ${namespace}.`}</p>
    )
  return (
    <p class="pad">
      <a class="button" href={here({ compare: 'now' })}>
        Compare now
      </a>
    </p>
  )
}

interface ReportedProps {
  readonly drift: ReportedDrift
  readonly namespace: string
}

const Reported = ({ drift: { since, message, run }, namespace }: ReportedProps) => (
  <>
    <div class="bar">
      <h2>{run ? `${counted(run.counts.drifted ?? 0, 'object')} on the cluster differ` : 'The cluster differs'}</h2>
      <span class="right">
        {'for '}
        <Since time={since} />
        {', only reported'}
      </span>
    </div>
    {run ? (
      <>
        <p class="pad quiet">
          − is on the cluster, + was applied. Found by <a href={runHref(namespace, run.metadata.name)}>this Run</a>.
        </p>
        <Changes run={run} />
      </>
    ) : (
      <p class="pad break lines">{message}</p>
    )}
  </>
)

const explanations: Readonly<Record<DriftMode, string>> = {
  corrected: 'What is changed on the cluster is corrected with the next pass. Changes shows each field.',
  reported: 'What is changed on the cluster is reported here, and not corrected.',
  ignored: 'This HelmRelease does not compare its cluster: spec.driftDetection is not set.',
}

const NoDrift = ({ mode }: { readonly mode: DriftMode }) => (
  <Empty title="No difference is reported">
    <p>{explanations[mode]}</p>
  </Empty>
)
