import { rolloutKind, rolloutRunKind } from '../../hub-client/fleet-kinds.ts'
import { permittedReader } from '../../hub-client/permitted-reader.ts'
import { type RolloutWithRuns, readRollouts } from '../../hub-client/read-rollouts.ts'
import { resourcePath } from '../../hub-client/resource-path.ts'
import { useLive } from '../api/use-live.ts'
import { counted, firstLine, namespaceFlag } from '../model/phrases.ts'
import { revisionsOf, rolloutHeadline, stateOfRolloutRun, waitText } from '../model/rollout-text.ts'
import { objectHref } from '../model/route.ts'
import { shown } from '../model/shown-state.ts'
import { CopyCommand } from '../parts/copy.tsx'
import { useNavigation } from '../parts/navigation.tsx'
import { Empty, Loaded, Narrowed } from '../parts/notices.tsx'
import { Further } from '../parts/pager.tsx'
import { useConsole } from '../parts/scope.tsx'
import { State } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'
import { StageProgress } from './rollout-stages.tsx'

const pageSize = 100

/** Which revision is on its way through which clusters. */
export const RolloutsPage = () => {
  const { api, namespace } = useConsole()
  const { query } = useNavigation()
  const page = { limit: pageSize, continue: query.continue }
  const rollouts = useLive(api, {
    key: `rollouts ${namespace ?? ''} ${query.continue ?? ''}`,
    paths: [rolloutKind, rolloutRunKind].map(kind => resourcePath(kind, { namespace })),
    read: permittedReader(rolloutKind, namespace, (hub, one, signal) => readRollouts(hub, one, page, signal)),
  })
  return (
    <Loaded of={rollouts} isPage>
      {({ items, continue: next, onlyIn }) => (
        <>
          <div class="head">
            <div>
              <h1>{next ? 'Rollouts' : counted(items.length, 'rollout')}</h1>
              <p class="quiet">Revisions on their way through the clusters, in stages.</p>
            </div>
            <div class="actions">
              <CopyCommand
                label="Copy as command"
                command={`keelson rollout status ${namespaceFlag(onlyIn ?? namespace)}`}
              />
            </div>
          </div>
          <section class="panel" aria-label="Rollouts">
            <Narrowed to={onlyIn} />
            {items.length === 0 ? <NoRollouts /> : <RolloutTable rollouts={items} />}
            <Further next={next} />
          </section>
        </>
      )}
    </Loaded>
  )
}

const RolloutTable = ({ rollouts }: { readonly rollouts: readonly RolloutWithRuns[] }) => (
  <table class="list" data-rows>
    <thead>
      <tr>
        <th class="fit">State</th>
        <th>Rollout</th>
        <th class="place">Clusters</th>
        <th class="fit">Revision</th>
        <th class="wide">What it does</th>
        <th class="fit num">Began</th>
      </tr>
    </thead>
    <tbody>
      {rollouts.map(one => (
        <Row key={`${one.rollout.metadata.namespace}/${one.rollout.metadata.name}`} {...one} />
      ))}
    </tbody>
  </table>
)

const Row = ({ rollout: { metadata, spec }, runs }: RolloutWithRuns) => {
  const run = runs.at(-1)
  const ref = { kind: rolloutKind.kind, namespace: metadata.namespace, name: metadata.name }
  const waitsFor = run?.status?.waitsFor ?? []
  const message = run ? [rolloutHeadline(run), ...waitsFor.map(waitText)].join('. ') : 'It has no run yet'
  return (
    <tr>
      <td class="fit">
        <State of={spec.suspend ? shown('suspended') : stateOfRolloutRun(run?.status)} />
      </td>
      <td class="cut main">
        <a href={objectHref(ref)} title={metadata.name}>
          {metadata.name}
        </a>
        <small class="quiet">{`${run ? `${run.metadata.name} ` : ''}in ${metadata.namespace}`}</small>
      </td>
      <td class="place">{run && <StageProgress stages={run.status?.stages ?? []} />}</td>
      <td class="fit mono">{run && revisionsOf(run)}</td>
      <td class="cut wide quiet" title={message}>
        {firstLine(message)}
      </td>
      <td class="fit num quiet time">
        <Ago time={run?.status?.startedAt} />
      </td>
    </tr>
  )
}

const NoRollouts = () => (
  <Empty title="There are no rollouts here">
    <p>Units take each revision at once. A Rollout brings it to a canary first, and to the others if all is well:</p>
    <pre>
      {`kubectl apply -f - <<EOF
apiVersion: fleet.keelson.dev/v1alpha1
kind: Rollout
metadata: {name: my-app, namespace: apps}
spec:
  sources: [{kind: GitRepository, name: my-app}]
  stages:
    - {name: canary, clusterSelector: {matchLabels: {tier: canary}}, after: [{healthyFor: 30m}]}
    - {name: others}
EOF`}
    </pre>
  </Empty>
)
