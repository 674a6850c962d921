import type { UnitRow } from '../../foundations/fleet/unit-rows.ts'
import { type Plan, type PlanPhase, planPhases } from '../../foundations/kinds/plan.ts'
import { unitPaths } from '../../hub-client/fleet-kinds.ts'
import type { ListPage } from '../../hub-client/list-page.ts'
import { readUnits } from '../../hub-client/read-fleet.ts'
import { useLive } from '../api/use-live.ts'
import { withoutCommand } from '../model/deletion-actions.ts'
import { counted, firstLine, namespaceFlag } from '../model/phrases.ts'
import { stateOfPlan } from '../model/plan-text.ts'
import { objectHref } from '../model/route.ts'
import { shown } from '../model/shown-state.ts'
import { CopyCommand } from '../parts/copy.tsx'
import { useNavigation } from '../parts/navigation.tsx'
import { useConsole } from '../parts/scope.tsx'
import { State } from '../parts/state.tsx'
import { Since } from '../parts/time.tsx'
import { PlanList, usePlans } from './plan-list.tsx'

/** What waits for a decision of a person: changes by their plans, and deletions that the guard holds back. */
export const PlansPage = () => {
  const { namespace } = useConsole()
  const { query, here } = useNavigation()
  const phase = query.phase === 'all' ? undefined : (planPhases.find(one => one === query.phase) ?? 'Waiting')
  const terms = { namespace, phase }
  const plans = usePlans(terms)
  const shown = namespace ?? plans.data?.onlyIn
  const chip = (value: string | undefined, isCurrent: boolean) => ({
    href: here({ phase: value, continue: undefined }),
    'aria-current': isCurrent ? ('true' as const) : undefined,
  })
  return (
    <>
      <div class="head">
        <div>
          <h1>{headline(plans.data, phase)}</h1>
          <p class="quiet">Changes that need approval or wait for a window, as their cluster would make them.</p>
        </div>
        <div class="actions">
          <CopyCommand
            label="Copy as command"
            command={`keelson plans ${namespaceFlag(shown)}${phase ? ` --phase ${phase}` : ''}`}
          />
        </div>
      </div>
      {phase === 'Waiting' && <HeldDeletions />}
      <nav class="chips" aria-label="Phases">
        {planPhases.map(one => (
          <a key={one} {...chip(one === 'Waiting' ? undefined : one, phase === one)}>
            <State of={stateOfPlan(one)} />
          </a>
        ))}
        <a {...chip('all', phase === undefined)}>All</a>
      </nav>
      <PlanList terms={terms} plans={plans} />
    </>
  )
}

/** How many wait, if that is known: the API pages plans, and does not count them. */
const headline = (page: ListPage<Plan> | undefined, phase: PlanPhase | undefined): string => {
  if (!page || page.continue || phase !== 'Waiting') return 'Plans'
  const many = page.items.length
  if (many === 0) return 'No change waits for approval'
  return `${counted(many, 'change')} ${many === 1 ? 'waits' : 'wait'} for approval`
}

const maxHeld = 50

/** Units that hold deletions back; nothing if there are none, or the person may list none. */
const HeldDeletions = () => {
  const { api, namespace } = useConsole()
  const { data } = useLive(api, {
    key: `held ${namespace ?? ''}`,
    paths: unitPaths(namespace),
    read: (hub, signal) => readUnits(hub, { namespace, holding: 'true' }, { limit: maxHeld }, signal),
  })
  if (!data || data.total === 0) return null
  return (
    <section class="panel" aria-label="Deletions that wait">
      <div class="bar">
        <h2>{`Deletions of ${counted(data.total, 'unit')} wait`}</h2>
        {data.total > maxHeld && <span class="right">{`the first ${maxHeld}`}</span>}
      </div>
      <ul class="causes">
        {data.items.map(row => (
          <HeldUnit key={`${row.kind}/${row.namespace}/${row.name}`} row={row} />
        ))}
      </ul>
    </section>
  )
}

const HeldUnit = ({ row: { kind, namespace, name, message, since } }: { readonly row: UnitRow }) => {
  const href = objectHref({ kind, namespace, name })
  return (
    <li>
      <State of={shown('waiting', 'Held')} />
      <div class="what">
        <p class="line">
          <a href={href}>{name}</a> <span class="quiet">{`${kind} in ${namespace}`}</span>
        </p>
        <p class="clamp">{firstLine(withoutCommand(message))}</p>
      </div>
      <span class="quiet when">
        <Since time={since} />{' '}
        <a class="button" href={href}>
          Review
        </a>
      </span>
    </li>
  )
}
