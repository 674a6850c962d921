/** What the console says of a plan. Pure. */
import type { Plan, PlanChange, PlanCounts, PlanPhase } from '../../foundations/kinds/plan.ts'
import { counted } from './phrases.ts'
import { type Shown, shown } from './shown-state.ts'

/** The state of a plan, by its phase; waiting without one. */
export const stateOfPlan = (phase: PlanPhase | undefined): Shown => {
  switch (phase) {
    case 'Scheduled':
      return shown('waiting', phase)
    case 'Approved':
      return shown('progressing', phase)
    case 'Applied':
      return shown('ready', phase)
    case 'Rejected':
      return shown('failing', phase)
    case 'Stale':
    case 'Expired':
      return shown('suspended', phase)
    default:
      return shown('waiting')
  }
}

/** Whether it still can be decided about. */
export const isOpen = ({ status }: Plan): boolean => {
  const { phase = 'Waiting' } = status ?? {}
  return phase === 'Waiting' || phase === 'Approved' || phase === 'Rejected'
}

/** How many approvals are missing. */
export const missingApprovals = ({ spec, status }: Plan): number =>
  Math.max(0, (spec.approvals?.count ?? 1) - (status?.approvedBy?.length ?? 0))

/** The first line: how things stand. */
export const planHeadline = (plan: Plan): string => {
  const { phase, rejectedBy } = plan.status ?? {}
  switch (phase) {
    case 'Scheduled':
      return 'Scheduled: it is applied when its window opens'
    case 'Approved':
      return 'Approved: it is applied next'
    case 'Applied':
      return 'Applied as planned'
    case 'Rejected':
      return rejectedBy ? `Rejected by ${rejectedBy}` : 'Rejected'
    case 'Stale':
      return 'Stale: the change is another one by now'
    case 'Expired':
      return 'Expired: nobody has decided in time'
    default:
      return `Waits for ${counted(missingApprovals(plan), 'approval')}`
  }
}

/** What becomes of it. */
export const planOutlook = ({ spec, status }: Plan): string => {
  const { name } = spec.unit
  switch (status?.phase) {
    case 'Scheduled':
      return `Nobody has to approve it. ${name} says in its condition Waiting until when it waits.`
    case 'Approved':
      return `${name} is applied as planned, unless the change is another one by then.`
    case 'Applied':
      return ''
    case 'Rejected':
      return `Nothing of it is applied. The next change of ${name} gets a plan of its own.`
    case 'Stale':
      return 'Its approvals count for nothing. If the new change needs approval, it has a plan of its own.'
    case 'Expired':
      return `Nothing of it is applied. ${name} gets a new plan with its next pass.`
    default:
      return `Nothing of it is applied until then. ${name} stays at its last approved revision, and drift is corrected to it.`
  }
}

export const plannedTitles: ActionTitles = {
  created: 'created',
  configured: 'changed',
  recreated: 'recreated',
  deleted: 'deleted',
  unknown: 'not known yet',
}

/** `2 changed, 1 created, 38 deleted`: what is destroyed comes apart, as the page marks it. */
export const plannedParts = (
  counts: PlanCounts,
): readonly { readonly text: string; readonly isDestructive: boolean }[] =>
  (Object.entries(plannedTitles) as [PlanChange['action'], string][]).flatMap(([name, word]) => {
    const many = counts[name] ?? 0
    return many > 0 ? [{ text: `${many} ${word}`, isDestructive: name === 'deleted' || name === 'recreated' }] : []
  })

export interface ChangeGroup {
  readonly title: string
  readonly changes: readonly PlanChange[]
}

const order: readonly PlanChange['action'][] = ['deleted', 'recreated', 'configured', 'created', 'unknown']

export type ActionTitles = Readonly<Record<PlanChange['action'], string>>

/** What happened to objects that a comparison has found, by what would be done about it. */
export const comparedTitles: ActionTitles = {
  created: 'missing',
  configured: 'changed',
  recreated: 'changed where only a new object can be',
  deleted: 'left behind',
  unknown: 'not known yet',
}

/** What is destroyed first. */
export const groupedByAction = (changes: readonly PlanChange[], titles: ActionTitles): readonly ChangeGroup[] =>
  order.flatMap(action => {
    const found = changes.filter(change => change.action === action)
    const word = titles[action]
    const title = `${word[0]!.toUpperCase()}${word.slice(1)} ${found.length}`
    return found.length > 0 ? [{ title, changes: found }] : []
  })

/** By the file that an object comes from; those that have left the build come last. */
export const groupedByFile = (changes: readonly PlanChange[]): readonly ChangeGroup[] =>
  Array.from(
    Map.groupBy(
      changes.toSorted((a, b) => Number(!a.origin) - Number(!b.origin)),
      ({ origin }) => origin ?? 'No longer in the build',
    ),
    ([title, found]) => ({ title, changes: found }),
  )

/** `Deployment blue/web`. */
export const changeName = ({ kind, namespace, name }: PlanChange): string =>
  `${kind} ${namespace ? `${namespace}/` : ''}${name}`

/** Names a change in an address. */
export const changeKey = ({ apiVersion, kind, namespace = '', name }: PlanChange): string =>
  `${apiVersion}/${kind}/${namespace}/${name}`
