/** Rollouts: which revision is on its way through which clusters. */
import * as z from 'zod'
import type { Rollout } from '../foundations/kinds/rollout.ts'
import { type RolloutRun, runOrders } from '../foundations/kinds/rollout-run.ts'
import { awaitedApprovals } from '../foundations/rollout/closed-gates.ts'
import { orderRefusal } from '../foundations/rollout/orders.ts'
import { rolloutKind } from '../hub-client/fleet-kinds.ts'
import { listPage } from '../hub-client/list-page.ts'
import { readRollout } from '../hub-client/read-rollouts.ts'
import { continueTerm, namespaceTerm, pageTerms } from './terms.ts'
import { type Tool, tool } from './tool.ts'

const item = z.looseObject({})

const listRollouts = tool({
  name: 'list_rollouts',
  title: 'List rollouts',
  description: 'Rollouts with the latest run, its revision and the stage under way. get_rollout shows the stages.',
  input: z.object({ namespace: namespaceTerm, ...pageTerms }),
  output: z.looseObject({ items: z.array(item), continue: continueTerm }),
  run: async ({ namespace, limit, continue: from }, { api, signal }) => {
    const query = { limit: String(limit), continue: from }
    const { items, ...next } = await listPage<Rollout>(api, rolloutKind, { namespace, query }, signal)
    return {
      summary: `${items.length} rollouts${next.continue ? ', and more' : ''}.`,
      data: { items: items.map(rolloutRow), ...next },
    }
  },
})

const rolloutRow = ({ metadata, spec, status = {} }: Rollout) => ({
  ...{ namespace: metadata.namespace, name: metadata.name, suspended: spec.suspend === true },
  strategy: spec.strategyRef?.name,
  ...{ run: status.currentRun, revision: status.currentRevision, stage: status.stage, stableRun: status.stableRun },
  ...{ units: status.units, unassigned: status.unassigned },
})

const getRollout = tool({
  name: 'get_rollout',
  title: 'Get a rollout',
  description:
    'One Rollout: its latest run stage by stage, what the run waits for, which gates are closed and of which cluster, which clusters have failed, the approvals and orders that would have an effect, and the runs before. Users approve with `keelson rollout approve`, or in the console.',
  input: z.object({ namespace: z.string(), name: z.string().describe('Name of the Rollout.') }),
  output: z.looseObject({ rollout: item, run: item.optional(), earlier: z.array(item) }),
  run: async ({ namespace, name }, { api, signal }) => {
    const { rollout, runs } = await readRollout(api, { namespace, name }, signal)
    const run = runs.at(-1)
    const data = {
      rollout: { ...rolloutRow(rollout), conditions: rollout.status?.conditions },
      ...(run && { run: { ...runRow(run), ...run.status, ...stepOf(run) } }),
      earlier: runs.slice(0, -1).toReversed().map(runRow),
    }
    const summary = run ? `its run ${run.metadata.name} is ${run.status?.phase ?? 'new'}` : 'it has no run yet'
    return { summary: `Rollout ${namespace}/${name}: ${summary}.`, data }
  },
})

const runRow = ({ metadata, spec, status = {} }: RolloutRun) => ({
  ...{ name: metadata.name, phase: status.phase, isHotfix: spec.isHotfix === true, previous: spec.previous },
  revisions: [
    ...spec.sources.map(({ kind, name, artifact }) => `${kind}/${name} ${artifact.revision}`),
    ...(spec.inputs ?? []).map(({ kind, name, digest }) => `${kind}/${name} ${digest}`),
  ],
  ...{ startedAt: status.startedAt, finishedAt: status.finishedAt, message: status.message },
})

/** Where it is, and what a user may do. */
const stepOf = (run: RolloutRun) => ({
  ...{ stage: stageOf(run), approvals: awaitedApprovals(run), orders: ordersFor(run) },
})

/** Those that would have an effect. */
const ordersFor = ({ spec, status }: RolloutRun): readonly string[] =>
  runOrders.filter(type => !orderRefusal(type, status?.phase ?? 'Running', spec.previous !== undefined))

/** By its name; the status has its place in the list. */
const stageOf = ({ spec, status = {} }: RolloutRun): string | undefined => spec.stages[status.stage ?? 0]?.name

export const rolloutTools: readonly Tool[] = [listRollouts, getRollout]
