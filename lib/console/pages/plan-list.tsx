import { type Plan, plannedCounts } from '../../foundations/kinds/plan.ts'
import { planKind, unitPaths } from '../../hub-client/fleet-kinds.ts'
import type { ListPage } from '../../hub-client/list-page.ts'
import { type OnlyIn, permittedReader } from '../../hub-client/permitted-reader.ts'
import { type PlanTerms, readPlans } from '../../hub-client/read-plans.ts'
import { resourcePath } from '../../hub-client/resource-path.ts'
import { type Live, useLive } from '../api/use-live.ts'
import { revisionText } from '../model/phrases.ts'
import { missingApprovals, stateOfPlan } from '../model/plan-text.ts'
import { objectHref } from '../model/route.ts'
import { useNavigation } from '../parts/navigation.tsx'
import { Empty, Loaded, Narrowed } from '../parts/notices.tsx'
import { Further } from '../parts/pager.tsx'
import { useConsole } from '../parts/scope.tsx'
import { State } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'

const pageSize = 100

interface Props {
  readonly terms: PlanTerms
  readonly plans: Live<ListPage<Plan> & OnlyIn>
  /** All are of one unit: its name is not repeated. */
  readonly isWhole?: boolean
}

/** A page of plans: that of the address. */
export const usePlans = (terms: PlanTerms): Live<ListPage<Plan> & OnlyIn> => {
  const { api } = useConsole()
  const { query } = useNavigation()
  const page = { limit: pageSize, continue: query.continue }
  return useLive(api, {
    key: `plans ${JSON.stringify(terms)} ${query.continue ?? ''}`,
    paths: [resourcePath(planKind, { namespace: terms.namespace }), ...unitPaths(terms.namespace)],
    keepsOld: true,
    read: permittedReader(planKind, terms.namespace, (hub, namespace, signal) =>
      readPlans(hub, { ...terms, namespace }, page, signal),
    ),
  })
}

/** The plans of a unit. */
export const PlansOfUnit = ({ terms }: Pick<Props, 'terms'>) => (
  <PlanList terms={terms} plans={usePlans(terms)} isWhole />
)

/** A page of plans with their units, changes and phases; `terms` are for the text of an empty one. */
export const PlanList = ({ terms, plans, isWhole = false }: Props) => {
  return (
    <section class="panel" aria-label="Plans">
      <Loaded of={plans}>
        {({ items, continue: next, onlyIn }) => (
          <>
            <Narrowed to={onlyIn} />
            {items.length === 0 ? <NoPlans terms={terms} /> : <PlanTable plans={items} isWhole={isWhole} />}
            <Further next={next} />
          </>
        )}
      </Loaded>
    </section>
  )
}

const PlanTable = ({ plans, isWhole }: { readonly plans: readonly Plan[]; readonly isWhole: boolean }) => (
  <table class="list" data-rows>
    <thead>
      <tr>
        <th class="fit">State</th>
        <th>{isWhole ? 'Plan' : 'Unit'}</th>
        <th class="fit">Changes</th>
        <th class="fit">Revision</th>
        <th class="wide">Author</th>
        <th class="wide">Decision</th>
        <th class="fit num">Made</th>
      </tr>
    </thead>
    <tbody>
      {plans.map(plan => (
        <Row key={`${plan.metadata.namespace}/${plan.metadata.name}`} plan={plan} isWhole={isWhole} />
      ))}
    </tbody>
  </table>
)

const Row = ({ plan, isWhole }: { readonly plan: Plan; readonly isWhole: boolean }) => {
  const { metadata, spec, status } = plan
  const { unit, cluster, counts, revision, author } = spec
  const decision = decisionText(plan)
  return (
    <tr>
      <td class="fit">
        <State of={stateOfPlan(status?.phase)} />
      </td>
      <td class="cut main">
        <a href={objectHref({ kind: planKind.kind, namespace: metadata.namespace, name: metadata.name })}>
          {isWhole ? metadata.name : unit.name}
        </a>
        <small class="quiet">
          {`${unit.kind} in ${metadata.namespace}${cluster ? `, on ${cluster.name}` : ', on the hub itself'}`}
        </small>
      </td>
      <td class="fit mono">{plannedCounts(counts) || 'none'}</td>
      <td class="fit mono" title={revision}>
        {revisionText(revision)}
      </td>
      <td class="cut wide" title={author}>
        {author}
      </td>
      <td class="cut wide quiet" title={decision}>
        {decision}
      </td>
      <td class="fit num quiet time">
        <Ago time={metadata.creationTimestamp} />
      </td>
    </tr>
  )
}

const decisionText = (plan: Plan): string => {
  const { phase = 'Waiting', approvedBy = [], rejectedBy, message = '' } = plan.status ?? {}
  if (rejectedBy) return `rejected by ${rejectedBy}${message && `: ${message}`}`
  const approved = approvedBy.length > 0 ? `approved by ${approvedBy.join(', ')}` : ''
  if (phase !== 'Waiting') return approved || message
  return [approved, `${missingApprovals(plan)} missing`].filter(Boolean).join(', ')
}

const NoPlans = ({ terms: { phase, name } }: { readonly terms: PlanTerms }) =>
  phase === 'Waiting' ? (
    <Empty title="No change waits for an approval">
      <p>A change waits if its unit, Namespace or Cluster requires approval. This requires it for a namespace:</p>
      <pre>kubectl annotate namespace apps fleet.keelson.dev/approval=Required</pre>
    </Empty>
  ) : (
    <Empty title={phase ? `No plan is ${phase.toLowerCase()}` : 'There are no plans'}>
      <p>
        {name
          ? 'A unit has plans if it, its Namespace or its Cluster requires approval.'
          : 'A plan is made when a change needs approval.'}
      </p>
    </Empty>
  )
