/** What would change a cluster, and what was changed on it. */
import * as z from 'zod'
import { isDifferent } from '../foundations/fleet/comparison.ts'
import { apiVersionOf } from '../foundations/kinds/all.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { type Plan, type PlanChange, plannedCounts, planPhases } from '../foundations/kinds/plan.ts'
import type { RunChange } from '../foundations/kinds/run.ts'
import { fieldSelector } from '../hub-client/field-selector.ts'
import { planKind } from '../hub-client/fleet-kinds.ts'
import { listPage } from '../hub-client/list-page.ts'
import { readDrift, type UnitDrift } from '../hub-client/read-drift.ts'
import { readComparison } from '../hub-client/read-live.ts'
import { resourcePath } from '../hub-client/resource-path.ts'
import { continueTerm, kindNamed, namespaceTerm, pageTerms, unitTerms } from './terms.ts'
import { type Tool, tool } from './tool.ts'

const item = z.looseObject({})

const listPlans = tool({
  name: 'list_plans',
  title: 'List plans',
  description:
    'Changes of units that need an approval: those that wait, and what has become of others. get_plan shows the changed fields.',
  input: z.object({
    namespace: namespaceTerm,
    unit: z.string().optional().describe('Name of the unit.'),
    phase: z.enum(planPhases).optional(),
    ...pageTerms,
  }),
  output: z.looseObject({ items: z.array(item), continue: continueTerm }),
  run: async ({ namespace, unit, phase, limit, continue: from }, { api, signal }) => {
    const terms = { 'spec.unit.name': unit, 'status.phase': phase }
    const query = { limit: String(limit), continue: from, fieldSelector: fieldSelector(terms) }
    const { items, ...next } = await listPage<Plan>(api, planKind, { namespace, query }, signal)
    const summary = `${items.length} plans${next.continue ? ', and more' : ''}.`
    return { summary, data: { items: items.map(planRow), ...next } }
  },
})

const planRow = ({ metadata, spec, status }: Plan) => ({
  ...{ namespace: metadata.namespace, name: metadata.name, created: metadata.creationTimestamp },
  ...{ unit: `${spec.unit.kind}/${spec.unit.name}`, revision: spec.revision, author: spec.author },
  ...{ changes: plannedCounts(spec.counts), expiresAt: spec.expiresAt, ...status },
})

const getPlan = tool({
  name: 'get_plan',
  title: 'Get a plan',
  description:
    'One plan: what applying a unit would change, object by object with the fields before and after, what approvals it needs, and who has decided. Values of Secrets are masked.',
  input: z.object({ namespace: z.string(), name: z.string().describe('Name of the plan, as in list_plans.') }),
  output: z.looseObject({ spec: item, status: item, changes: z.array(item), moreChanges: z.number() }),
  run: async ({ namespace, name }, { api, signal }) => {
    const plan = await api.get<Plan>(resourcePath(planKind, { namespace, name }), signal)
    const { spec, status = {}, changes = [], moreChanges = 0 } = plan
    const data = { spec, status, changes: [...changes], moreChanges }
    return { summary: `Plan ${namespace}/${name}: ${changes.length + moreChanges} objects would change.`, data }
  },
})

const diff = tool({
  name: 'diff',
  title: 'Difference between a cluster and what was applied',
  description:
    'What was changed on the cluster of a unit, and is not corrected: each object and field with its live and its desired value, and who set it. Where drift is corrected, `history` shows what was. With `now`, compares the cluster again with what was applied last; a ResourceSet with what it renders, which `desired` says. Values of Secrets are masked.',
  input: z.object({
    ...unitTerms,
    now: z.boolean().default(false).describe('Compares now, by dry runs on the cluster.'),
  }),
  output: z.looseObject({ objects: z.array(item), moreObjects: z.number(), refused: z.array(z.string()) }),
  run: async ({ kind: word, namespace, name, now }, { api, signal }) => {
    const kind = kindNamed(word)
    if (now) {
      const unit = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { namespace, name } }
      const { changes, moreChanges, ...comparison } = await readComparison(api, unit, signal)
      const data = { ...comparison, objects: changes.map(change => difference(change)), moreObjects: moreChanges }
      const verdict = isDifferent(comparison) ? 'the cluster differs from' : 'nothing on the cluster differs from'
      return { summary: `${kind.kind}/${namespace}/${name}: ${verdict} ${comparison.revision}.`, data }
    }
    const found = await api.get<KubernetesObject>(resourcePath(kind, { namespace, name }), signal)
    const { mode, reported, refused } = await readDrift(api, { ...found, kind: kind.kind }, signal)
    const { run, ...report } = reported ?? {}
    const { changes = [], moreChanges = 0 } = run ?? {}
    const data = { mode, ...report, objects: changes.map(difference), moreObjects: moreChanges, refused }
    return { summary: `${kind.kind}/${namespace}/${name}: ${verdictOn({ mode, ...(reported && { reported }) })}`, data }
  },
})

/** What it would take to correct it is `action`; drift that is only reported has none. */
const difference = ({ action, fields = [], ...object }: RunChange | PlanChange) => ({
  ...object,
  ...(action !== 'drifted' && { action }),
  fields: fields.map(({ before: live, after: desired, ...field }) => ({ ...field, live, desired })),
})

const verdictOn = ({ mode, reported }: Omit<UnitDrift, 'refused'>): string => {
  if (reported) return 'the cluster differs from what was applied.'
  if (mode === 'ignored') return 'it does not compare its cluster: spec.driftDetection is not set.'
  return `no difference is reported; drift is ${mode}.`
}

export const changeTools: readonly Tool[] = [listPlans, getPlan, diff]
