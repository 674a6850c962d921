import type { Approval } from '../foundations/kinds/approval.ts'
import type { Plan, PlanPhase } from '../foundations/kinds/plan.ts'
import { mayDecide } from './allowed-actions.ts'
import { fieldSelector } from './field-selector.ts'
import { planKind } from './fleet-kinds.ts'
import type { HubApi } from './hub-api.ts'
import { type ListPage, listPage } from './list-page.ts'
import { readDecisions } from './read-decisions.ts'
import type { PageTerms } from './read-fleet.ts'
import { resourcePath } from './resource-path.ts'

/** Which plans: each term that is given must hold. */
export interface PlanTerms {
  readonly namespace?: string | undefined
  readonly phase?: PlanPhase | undefined
  /** Kind and name of their unit. */
  readonly kind?: string | undefined
  readonly name?: string | undefined
}

/** A page of plans in the order of the API, by namespace and name, the newest of the page first. Fails with ApiFailure or HubUnreachable. */
export const readPlans = async (
  api: HubApi,
  { namespace, phase, kind, name }: PlanTerms,
  { limit, continue: from }: PageTerms,
  signal: AbortSignal,
): Promise<ListPage<Plan>> => {
  const terms = { 'spec.unit.kind': kind, 'spec.unit.name': name, 'status.phase': phase }
  const query = { limit: String(limit), continue: from, fieldSelector: fieldSelector(terms) }
  const page = await listPage<Plan>(api, planKind, { namespace, query }, signal)
  return { ...page, items: page.items.toSorted((a, b) => madeAt(b) - madeAt(a)) }
}

const madeAt = ({ metadata }: Plan): number => Date.parse(metadata.creationTimestamp ?? '') || 0

/** One plan, with what was decided about it. */
export interface PlanView {
  readonly plan: Plan
  readonly decisions: readonly Approval[]
  readonly mayDecide: boolean
}

/** Fails with ApiFailure or HubUnreachable. */
export const readPlan = async (
  api: HubApi,
  ref: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<PlanView> => {
  const [plan, decisions, isAllowed] = await Promise.all([
    api.get<Plan>(resourcePath(planKind, ref), signal),
    readDecisions(api, planKind, ref, signal),
    mayDecide(api, planKind, ref),
  ])
  return { plan, decisions, mayDecide: isAllowed }
}
