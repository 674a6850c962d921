import type { RolloutRun, StageStatus } from '../../foundations/kinds/rollout-run.ts'
import { type GateView, readyText, type StageView, stagesOf } from '../model/rollout-text.ts'
import { State, StateBar, StateMark } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'

/** The stages of a run in order, each with its gates and clusters. */
export const RolloutStages = ({ run }: { readonly run: RolloutRun }) => (
  <section class="panel" aria-label="Stages">
    <div class="bar">
      <h2>Stages</h2>
      {run.spec.isHotfix && <span class="right">a hotfix, with gates of its own</span>}
    </div>
    <ol class="stages">
      {stagesOf(run).map(stage => (
        <Stage key={stage.name} stage={stage} />
      ))}
    </ol>
  </section>
)

const Stage = ({ stage: { name, state, progress, before, eachCluster, after } }: { readonly stage: StageView }) => (
  <li>
    <div class="line">
      <b class="break">{name}</b>
      <State of={state} />
      <span class="right quiet">
        {progress?.finishedAt ? (
          <>
            {'done '}
            <Ago time={progress.finishedAt} />
          </>
        ) : (
          progress?.startedAt && (
            <>
              {'began '}
              <Ago time={progress.startedAt} />
            </>
          )
        )}
      </span>
    </div>
    <Gates gates={before} />
    <Gates gates={eachCluster} />
    {progress && (
      <>
        <StageProgress stages={[progress]} />
        <p class="quiet break">{progressText(progress)}</p>
      </>
    )}
    <Gates gates={after} />
  </li>
)

const Gates = ({ gates }: { readonly gates: readonly GateView[] }) =>
  gates.length === 0 ? null : (
    <ul class="gates">
      {gates.map(({ name, text, state }) => (
        <li key={`${name} ${text}`} class="line">
          <StateMark of={state} />
          <span class="break">{name}</span>
          <span class="quiet break">{text}</span>
        </li>
      ))}
    </ul>
  )

const progressText = (stage: StageStatus): string => {
  const { progressing, failed, skipped, failedClusters = [] } = stage
  const more = failed - failedClusters.length
  const names = failedClusters.length > 0 ? `: ${failedClusters.join(', ')}${more > 0 ? ` and ${more} more` : ''}` : ''
  return [
    readyText(stage),
    ...(progressing > 0 ? [`${progressing} under way`] : []),
    ...(skipped > 0 ? [`${skipped} ${skipped === 1 ? 'does' : 'do'} not respond`] : []),
    ...(failed > 0 ? [`${failed} failed${names}`] : []),
  ].join(', ')
}

/** How many clusters of some stages are how far, as one bar. */
export const StageProgress = ({ stages }: { readonly stages: readonly StageStatus[] }) => {
  const total = (of: 'clusters' | 'ready' | 'progressing' | 'failed' | 'skipped') =>
    stages.reduce((sum, stage) => sum + stage[of], 0)
  const [ready, progressing, failing, unreachable] = [
    total('ready'),
    total('progressing'),
    total('failed'),
    total('skipped'),
  ]
  const rest = Math.max(0, total('clusters') - ready - progressing - failing - unreachable)
  return <StateBar counts={{ ready, progressing, failing, unreachable, suspended: rest }} />
}
