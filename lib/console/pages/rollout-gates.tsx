import { clusterActions, type SteeredRun } from '../model/rollout-actions.ts'
import { shown } from '../model/shown-state.ts'
import { Actions } from '../parts/actions.tsx'
import { StateMark } from '../parts/state.tsx'

interface Props {
  readonly steered: SteeredRun
  readonly refresh: () => void
}

/** Clusters that wait at gates of their own, each with what the person may do about it. Nothing if none does. */
export const ClustersAtGates = ({ steered, refresh }: Props) => {
  const gates = (steered.run.status?.closedGates ?? []).filter(({ cluster }) => cluster !== undefined)
  const byCluster = [...Map.groupBy(gates, ({ stage, cluster }) => `${stage} ${cluster}`)]
  if (byCluster.length === 0) return null
  return (
    <section class="panel" aria-label="Clusters at gates">
      <div class="bar">
        <h2>Clusters at gates</h2>
      </div>
      <ul class="facts-list">
        {byCluster.map(([key, some]) => {
          const { stage, cluster } = some[0]!
          return (
            <li key={key}>
              <div class="line">
                <StateMark of={shown('waiting')} />
                <b class="break">{cluster}</b>
                <span class="quiet">{`stage ${stage}`}</span>
                <span class="right actions">
                  <Actions
                    actions={clusterActions({ stage, cluster: cluster! }, steered)}
                    missing={[]}
                    refresh={refresh}
                  />
                </span>
              </div>
              {some.map(({ gate, message }) => (
                <p key={gate} class="quiet break">{`${gate}: ${message}`}</p>
              ))}
            </li>
          )
        })}
      </ul>
    </section>
  )
}
