import { planKind } from '../../hub-client/fleet-kinds.ts'
import { type PlanView, readPlan } from '../../hub-client/read-plans.ts'
import { resourcePath } from '../../hub-client/resource-path.ts'
import { useLive } from '../api/use-live.ts'
import { revisionText } from '../model/phrases.ts'
import { missingPlanActions, planActions } from '../model/plan-actions.ts'
import { planHeadline, plannedParts, planOutlook, stateOfPlan } from '../model/plan-text.ts'
import { objectHref } from '../model/route.ts'
import { Actions } from '../parts/actions.tsx'
import { CopyCommand } from '../parts/copy.tsx'
import { Decisions } from '../parts/decisions.tsx'
import { Loaded } from '../parts/notices.tsx'
import { useConsole } from '../parts/scope.tsx'
import { Ago } from '../parts/time.tsx'
import { PlannedChanges } from './planned-changes.tsx'

interface Props {
  readonly namespace: string
  readonly name: string
}

/** What a change would do to its cluster, and who lets it. */
export const PlanPage = ({ namespace, name }: Props) => {
  const { api } = useConsole()
  const plan = useLive(api, {
    key: `plan ${namespace} ${name}`,
    paths: [resourcePath(planKind, { namespace, query: { fieldSelector: `metadata.name=${name}` } })],
    read: (hub, signal) => readPlan(hub, { namespace, name }, signal),
  })
  return <Loaded of={plan}>{view => <Whole view={view} refresh={plan.refresh} />}</Loaded>
}

const Whole = ({ view, refresh }: { readonly view: PlanView; readonly refresh: () => void }) => {
  const { api } = useConsole()
  const { plan, decisions } = view
  const { metadata, spec, status } = plan
  const { unit, cluster, revision, author, counts } = spec
  const { namespace = '' } = metadata
  const unitRef = { kind: unit.kind, namespace, name: unit.name }
  const { state } = stateOfPlan(status?.phase)
  const words = plannedParts(counts)
  return (
    <>
      <div>
        <nav class="crumbs" aria-label="Path">
          <a href="/plans">Plans</a>
          <a href={objectHref(unitRef, 'plans')}>{unit.name}</a>
        </nav>
        <div class="head">
          <div>
            <h1 class="break">
              {`Plan of ${unit.name} `}
              <span class="tag">{unit.kind}</span> <span class="tag">{cluster ? cluster.name : 'the hub itself'}</span>
            </h1>
            <p class="quiet">
              {words.length === 0 && 'No changes. '}
              {words.map(({ text, isDestructive }, at) => (
                <span key={text}>
                  {at > 0 && ', '}
                  <span class={isDestructive ? 'failing' : undefined}>{text}</span>
                </span>
              ))}
              {words.length > 0 && '. '}
              {'Made '}
              <Ago time={metadata.creationTimestamp} />
              {author ? ` from ${revisionText(revision)} by ${author}.` : '.'}
            </p>
          </div>
          <div class="actions">
            <Actions
              actions={planActions(view, api.user.name)}
              missing={missingPlanActions(view, api.user.name)}
              refresh={refresh}
            />
            <CopyCommand command={`kubectl get plans ${metadata.name} -n ${namespace} -o yaml`} />
          </div>
        </div>
      </div>
      <section class={`why ${state}`} aria-label="Decision">
        <strong class={`state ${state}`}>{planHeadline(plan)}</strong>
        {status?.phase === 'Rejected' && status.message && <p class="break lines">{status.message}</p>}
        <p class="next break">{planOutlook(plan)}</p>
      </section>
      <dl class="facts">
        <div title={revision}>
          <dt>Revision</dt>
          <dd class="mono">{revisionText(revision)}</dd>
        </div>
        <div>
          <dt>Unit</dt>
          <dd>
            <a href={objectHref(unitRef)}>{`${unit.kind} ${unit.name}`}</a>
          </dd>
        </div>
        {spec.approvals && (
          <div>
            <dt>Required by</dt>
            <dd class="break">{spec.approvals.reason}</dd>
          </div>
        )}
        {spec.approvals && (
          <div>
            <dt>Approvals</dt>
            <dd>{`${status?.approvedBy?.length ?? 0} of ${spec.approvals.count}`}</dd>
          </div>
        )}
        {spec.expiresAt && !status?.finishedAt && (
          <div>
            <dt>Can be approved until</dt>
            <dd>
              <Ago time={spec.expiresAt} />
            </dd>
          </div>
        )}
        {status?.finishedAt && (
          <div>
            <dt>Ended</dt>
            <dd>
              <Ago time={status.finishedAt} />
            </dd>
          </div>
        )}
      </dl>
      <PlannedChanges changes={plan.changes ?? []} moreChanges={plan.moreChanges ?? 0} counts={plan.spec.counts} />
      <Decisions of={decisions} />
    </>
  )
}
