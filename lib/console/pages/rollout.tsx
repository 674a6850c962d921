import type { Rollout } from '../../foundations/kinds/rollout.ts'
import type { RolloutRun } from '../../foundations/kinds/rollout-run.ts'
import { rolloutLabel } from '../../foundations/kinds/rollout-run.ts'
import { rolloutStrategy } from '../../foundations/kinds/rollout-strategy.ts'
import { rolloutKind, rolloutRunKind } from '../../hub-client/fleet-kinds.ts'
import { type ObjectView, readObject } from '../../hub-client/read-object.ts'
import { type RunRights, readRollout, readRunRights } from '../../hub-client/read-rollouts.ts'
import { resourcePath } from '../../hub-client/resource-path.ts'
import { useLive } from '../api/use-live.ts'
import { actionsOf, missingActions } from '../model/object-actions.ts'
import { missingRolloutActions, rolloutActions } from '../model/rollout-actions.ts'
import { revisionsOf, rolloutHeadline, stateOfRolloutRun, waitText } from '../model/rollout-text.ts'
import { type ObjectTab, objectHref } from '../model/route.ts'
import { shown } from '../model/shown-state.ts'
import { Actions } from '../parts/actions.tsx'
import { CopyCommand } from '../parts/copy.tsx'
import { Decisions } from '../parts/decisions.tsx'
import { Loaded } from '../parts/notices.tsx'
import { useConsole } from '../parts/scope.tsx'
import { Ago } from '../parts/time.tsx'
import { ObjectTabs } from './object-tabs.tsx'
import { ClustersAtGates } from './rollout-gates.tsx'
import { EarlierRuns } from './rollout-runs.tsx'
import { RolloutStages } from './rollout-stages.tsx'
import { RolloutUnits } from './rollout-units.tsx'

interface Props {
  readonly namespace: string
  readonly name: string
  readonly tab: ObjectTab
}

interface RolloutView {
  readonly view: ObjectView
  readonly rollout: Rollout
  readonly runs: readonly RolloutRun[]
  /** Of the latest run. */
  readonly rights: RunRights | undefined
}

/** One Rollout: where its run is, what it waits for, and what may be done. */
export const RolloutPage = ({ namespace, name, tab }: Props) => {
  const { api } = useConsole()
  const found = useLive(api, {
    key: `rollout ${namespace} ${name}`,
    paths: [
      resourcePath(rolloutKind, { namespace, query: { fieldSelector: `metadata.name=${name}` } }),
      resourcePath(rolloutRunKind, { namespace, query: { labelSelector: `${rolloutLabel}=${name}` } }),
    ],
    read: async (hub, signal): Promise<RolloutView> => {
      const [view, { rollout, runs }] = await Promise.all([
        readObject(hub, rolloutKind, { namespace, name }, { now: Date.now, signal }),
        readRollout(hub, { namespace, name }, signal),
      ])
      const run = runs.at(-1)
      return { view, rollout, runs, rights: run && (await readRunRights(hub, run, signal)) }
    },
  })
  return <Loaded of={found}>{shown => <Whole of={shown} tab={tab} refresh={found.refresh} />}</Loaded>
}

interface WholeProps {
  readonly of: RolloutView
  readonly tab: ObjectTab
  readonly refresh: () => void
}

const Whole = ({ of: { view, rollout, runs, rights }, tab, refresh }: WholeProps) => {
  const { api } = useConsole()
  const { name, namespace = '' } = rollout.metadata
  const run = runs.at(-1)
  const previous = run && runs.find(one => one.metadata.name === run.spec.previous)
  const steered = run && rights && { rollout, run, previous, rights }
  const own = actionsOf(view).filter(({ key }) => key === undefined)
  return (
    <>
      <div>
        <nav class="crumbs" aria-label="Path">
          <a href="/rollouts">Rollouts</a>
          <a href={`/rollouts?namespace=${encodeURIComponent(namespace)}`}>{namespace}</a>
        </nav>
        <div class="head">
          <div>
            <h1 class="break">
              {name} <span class="tag">Rollout</span> <span class="tag">{namespace}</span>
            </h1>
          </div>
          <div class="actions">
            <Actions
              actions={[...own, ...(steered ? rolloutActions(steered) : [])]}
              missing={[
                ...missingActions(view, api.user.name),
                ...(steered ? missingRolloutActions(steered, api.user.name) : []),
              ]}
              refresh={refresh}
            />
            <CopyCommand label="Copy as command" command={`keelson rollout status ${name} -n ${namespace}`} />
          </div>
        </div>
      </div>
      <Standing rollout={rollout} run={run} />
      <Facts rollout={rollout} run={run} previous={previous} />
      <ObjectTabs
        view={view}
        tab={tab}
        overview={
          <div class="two">
            <div class="stack">
              {run && <RolloutStages run={run} />}
              {steered && <ClustersAtGates steered={steered} refresh={refresh} />}
              <RolloutUnits rollout={rollout} />
            </div>
            <div class="stack">
              <Decisions of={rights?.decisions ?? []} />
              <EarlierRuns runs={runs.slice(0, -1).toReversed()} />
            </div>
          </div>
        }
      />
    </>
  )
}

/** How the run stands, and what it waits for. */
const Standing = ({ rollout, run }: { readonly rollout: Rollout; readonly run: RolloutRun | undefined }) => {
  const { state } = rollout.spec.suspend ? shown('suspended') : stateOfRolloutRun(run?.status)
  const headline = run ? rolloutHeadline(run) : 'It has no run yet'
  const { message, waitsFor = [] } = run?.status ?? {}
  const missing = rollout.status?.conditions?.find(({ type }) => type === 'Ready')?.message
  return (
    <section class={`why ${state}`} aria-label="State">
      <strong class={`state ${state}`}>{rollout.spec.suspend ? `Suspended. ${headline}` : headline}</strong>
      {waitsFor.map(text => (
        <p key={text} class="break">
          {waitText(text)}
        </p>
      ))}
      {run && message && message !== headline && <p class="next break">{`Last: ${message}`}</p>}
      {!run && missing && <p class="next break">{missing}</p>}
    </section>
  )
}

interface FactsProps {
  readonly rollout: Rollout
  readonly run: RolloutRun | undefined
  readonly previous: RolloutRun | undefined
}

const Facts = ({ rollout: { metadata, spec, status = {} }, run, previous }: FactsProps) => (
  <dl class="facts">
    {run && (
      <div>
        <dt>Revision</dt>
        <dd class="mono" title={status.currentRevision}>
          {revisionsOf(run)}
        </dd>
      </div>
    )}
    {previous && (
      <div>
        <dt>Before</dt>
        <dd class="mono">{`${revisionsOf(previous)}, ${previous.metadata.name}`}</dd>
      </div>
    )}
    {run && (
      <div>
        <dt>Run</dt>
        <dd>
          {run.metadata.name}
          <span class="quiet">
            {'began '}
            <Ago time={run.status?.startedAt ?? run.metadata.creationTimestamp} />
          </span>
        </dd>
      </div>
    )}
    <div>
      <dt>Units</dt>
      <dd>
        {status.units ?? 0}
        {(status.unassigned ?? 0) > 0 && <span class="waiting">{`${status.unassigned} in no stage`}</span>}
      </dd>
    </div>
    <div>
      <dt>Sources</dt>
      <dd>
        {spec.sources.map(({ kind, name, namespace = metadata.namespace }) => (
          <a key={`${kind} ${name}`} href={objectHref({ kind, namespace, name })}>{`${kind} ${name}`}</a>
        ))}
      </dd>
    </div>
    {spec.strategyRef && (
      <div>
        <dt>Strategy</dt>
        <dd>
          <a
            href={objectHref({
              kind: rolloutStrategy.kind,
              namespace: metadata.namespace,
              name: spec.strategyRef.name,
            })}
          >
            {spec.strategyRef.name}
          </a>
        </dd>
      </div>
    )}
    {(run || !spec.strategyRef) && (
      <div>
        <dt>When clusters fail</dt>
        <dd>{failureWords[(run ?? { spec }).spec.onFailure ?? 'Pause']}</dd>
      </div>
    )}
  </dl>
)

const failureWords = {
  Pause: 'it is paused',
  Rollback: 'all units go back',
  RollbackStage: 'units of the stage go back',
  Continue: 'it continues',
} as const
