import { ageOf } from '../foundations/kinds/human-duration.ts'
import type { Rollout } from '../foundations/kinds/rollout.ts'
import {
  type RolloutRun,
  type RolloutRunStatus,
  revisionsIn,
  runOrders,
  type StageStatus,
} from '../foundations/kinds/rollout-run.ts'
import { shortRevision } from '../foundations/kinds/run.ts'
import { type AwaitedApproval, awaitedApprovals } from '../foundations/rollout/closed-gates.ts'
import { orderRefusal } from '../foundations/rollout/orders.ts'
import { table } from './table.ts'

/** A Rollout with its runs, the latest last. */
export interface RolloutWithRuns {
  readonly rollout: Rollout
  readonly runs: readonly RolloutRun[]
}

/** Rollouts with their latest runs, a line each. Empty if there are none. */
export const rolloutTable = (rollouts: readonly RolloutWithRuns[], withNamespace: boolean, now: number): string =>
  table(
    [...(withNamespace ? ['NAMESPACE'] : []), ...'NAME RUN PHASE STAGE READY FAILED SKIPPED REVISION AGE'.split(' ')],
    rollouts.map(({ rollout: { metadata, status = {} }, runs }) => {
      const run = runs.at(-1)
      const stages = run?.status?.stages ?? []
      const total = (of: 'clusters' | 'ready' | 'failed' | 'skipped') => stages.reduce((sum, one) => sum + one[of], 0)
      return [
        ...(withNamespace ? [metadata.namespace ?? ''] : []),
        ...[metadata.name, run?.metadata.name ?? '', run?.status?.phase ?? '', status.stage ?? ''],
        ...[`${total('ready')}/${total('clusters')}`, `${total('failed')}`, `${total('skipped')}`],
        ...(run ? [revisionsOf(run), ageOf(run.status?.startedAt, now)] : ['', '']),
      ]
    }),
  )

/** All that a person wants to know of a Rollout: where its run is, stage by stage, what it waits for, and what may be done. */
export const describeRollout = ({ rollout, runs }: RolloutWithRuns, now: number): string => {
  const run = runs.at(-1)
  const { metadata, spec } = rollout
  const previous = run && runs.find(({ metadata: { name } }) => name === run.spec.previous)
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Rollout', `${metadata.namespace}/${metadata.name}${spec.suspend ? ', suspended' : ''}`],
    ['Strategy', spec.strategyRef?.name],
    ['Run', run && `${run.metadata.name}, ${run.status?.phase ?? 'new'}${run.spec.isHotfix ? ', a hotfix' : ''}`],
    ['Revision', run && revisionsOf(run)],
    ['Before', previous && `${revisionsOf(previous)} (${previous.metadata.name})`],
    ['Began', run && `${ageOf(run.status?.startedAt, now)} ago`],
    ['Last', run?.status?.message],
    ['Waits for', run?.status?.waitsFor?.join('\n')],
    ['Plans', run && plansOf(run)],
    ['Approve', run && approvalsFor(rollout, run)],
    ['Orders', run && ordersFor(run)],
  ]
  const head = facts.flatMap(([name, text]) => (text ? [line(name, text)] : [])).join('')
  if (!run) return `${head}It has no run yet.\n`
  const others = runs.slice(0, -1).toReversed()
  return [head, stageTable(run, now), gateTable(run), runTable(others, now)].filter(part => part !== '').join('\n')
}

const width = 11
const line = (name: string, text: string): string =>
  `${`${name}:`.padEnd(width)}${text.trim().replaceAll('\n', `\n${' '.repeat(width)}`)}\n`

/** Of the stage under way, if they wait for approval. */
const plansOf = ({ spec, status = {} }: RolloutRun): string | undefined => {
  const { stage = 0, step = 'Before' } = status
  const found = step === 'Before' ? status.stages?.[stage] : undefined
  if (!found?.plans || found.plans.units === 0) return undefined
  const { units, summary, digest } = found.plans
  return `${units} of stage ${spec.stages[stage]!.name}, ${summary || 'no changes'}, ${digest}`
}

/** The commands that would open gates. */
const approvalsFor = ({ metadata }: Rollout, { spec, status = {} }: RolloutRun): string => {
  const command = ({ stage, cluster, digests }: AwaitedApproval): string => {
    const isUnderWay = spec.stages[status.stage ?? 0]?.name === stage
    const plans = status.stages?.find(({ name }) => name === stage)?.plans?.digest
    return [
      `keelson rollout approve ${metadata.name} -n ${metadata.namespace}`,
      ...(isUnderWay ? [] : [`--stage ${stage}`]),
      ...(cluster ? [`--cluster ${cluster}`] : []),
      ...(plans !== undefined && digests.length === 1 && digests[0] === plans ? [`--digest ${plans}`] : []),
    ].join(' ')
  }
  return awaitedApprovals({ status }).map(command).join('\n')
}

const ordersFor = ({ spec, status }: RolloutRun): string =>
  runOrders
    .filter(type => orderRefusal(type, status?.phase ?? 'Running', spec.previous !== undefined) === undefined)
    .map(type => type.toLowerCase())
    .join(', ')

const stageTable = ({ status = {} }: RolloutRun, now: number): string =>
  table(
    ['STAGE', 'STATE', 'CLUSTERS', 'READY', 'UNDER WAY', 'FAILED', 'SKIPPED', 'BEGAN', 'FAILED CLUSTERS'],
    (status.stages ?? []).map((stage, at) => [
      ...[stage.name, stageState(at, status), `${stage.clusters}`, `${stage.ready}`, `${stage.progressing}`],
      ...[`${stage.failed}`, `${stage.skipped}`, stage.startedAt ? ageOf(stage.startedAt, now) : ''],
      failedIn(stage),
    ]),
  )

/** Clusters at gates of their own. */
const gateTable = ({ status = {} }: RolloutRun): string =>
  table(
    ['CLUSTER AT A GATE', 'STAGE', 'GATE', 'WAITS FOR'],
    (status.closedGates ?? []).flatMap(({ stage, cluster, gate, message }) =>
      cluster === undefined ? [] : [[cluster, stage, gate, message.split('\n')[0]!]],
    ),
  )

const failedIn = ({ failed, failedClusters = [] }: StageStatus): string => {
  const more = failed - failedClusters.length
  return `${failedClusters.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const stageState = (at: number, { phase, stage = 0, step }: RolloutRunStatus): string => {
  if (at < stage || phase === 'Succeeded') return 'done'
  if (at > stage) return 'pending'
  return step === 'Rolling' ? 'rolling' : step === 'After' ? 'gates after it' : 'gates before it'
}

const runTable = (runs: readonly RolloutRun[], now: number): string =>
  table(
    ['EARLIER RUN', 'PHASE', 'REVISION', 'AGE', 'MESSAGE'],
    runs.map(run => {
      const { phase = '', startedAt, message = '' } = run.status ?? {}
      return [run.metadata.name, phase, revisionsOf(run), ageOf(startedAt, now), message.split('\n')[0]!]
    }),
  )

const revisionsOf = (run: RolloutRun): string => revisionsIn(run).map(shortRevision).join(', ')
