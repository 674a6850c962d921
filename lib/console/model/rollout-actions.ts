/** What a person can do with the latest run of a Rollout. Pure. */
import { orderPatch } from '../../foundations/fleet/actions.ts'
import { approvalOf, type Decision } from '../../foundations/fleet/decision.ts'
import { apiVersionOf } from '../../foundations/kinds/all.ts'
import type { Rollout } from '../../foundations/kinds/rollout.ts'
import type { RolloutRun } from '../../foundations/kinds/rollout-run.ts'
import { type AwaitedApproval, awaitedApprovals } from '../../foundations/rollout/closed-gates.ts'
import { orderRefusal } from '../../foundations/rollout/orders.ts'
import type { OrderType } from '../../foundations/rollout/world.ts'
import { approvalKind, rolloutRunKind } from '../../hub-client/fleet-kinds.ts'
import type { RunRights } from '../../hub-client/read-rollouts.ts'
import type { WriteRequest } from '../../hub-client/send-requests.ts'
import { type Action, type Confirmed, commentOf, decisionComment } from './action.ts'
import { counted } from './phrases.ts'
import { revisionsOf } from './rollout-text.ts'

export interface SteeredRun {
  readonly rollout: Rollout
  readonly run: RolloutRun
  /** The run that a rollback returns to. */
  readonly previous: RolloutRun | undefined
  readonly rights: RunRights
}

/** In the order in which they are shown: what destroys comes first, what continues last. */
export const rolloutActions = (steered: SteeredRun): readonly Action[] => [
  ...(steered.rights.mayOrder && !steered.rollout.spec.suspend ? orderActions(steered) : []),
  ...(steered.rights.mayDecide ? stageActions(steered) : []),
]

const orderReason = { label: 'Reason, for the record', isRequired: true } as const

const orderActions = ({ rollout, run, previous }: SteeredRun): readonly Action[] => {
  const { name, namespace = '' } = run.metadata
  const { phase = 'Running', stages = [] } = run.status ?? {}
  const units = counted(rollout.status?.units ?? 0, 'unit')
  const failed = stages.flatMap(({ failedClusters = [] }) => failedClusters)
  const action = (
    type: OrderType,
    { style = 'plain', done, text, note }: { style?: Action['style']; done: string; text: string; note?: string },
  ): readonly Action[] => {
    if (orderRefusal(type, phase, previous !== undefined)) return []
    const question = { title: `${type} ${name}`, text, confirm: type, reason: orderReason, ...(note && { note }) }
    const requests = ({ reason, now }: Confirmed) => [
      {
        ...{ kind: rolloutRunKind, namespace, name },
        body: orderPatch({ type, id: new Date(now).toISOString(), reason }),
      },
    ]
    return [{ label: `${type}…`, style, done, question, requests }]
  }
  return [
    ...action('Rollback', {
      style: 'danger',
      done: `${name} goes back`,
      text: `All ${units} go back to ${previous ? revisionsOf(previous) : 'the revision before'}, at once.`,
      note: `That is the revision of ${run.spec.previous}, the last run that succeeded.`,
    }),
    ...action('Abort', {
      style: 'danger',
      done: `Aborted ${name}`,
      text: `The run ends. All ${units} stay at the revisions that they have, until the next one.`,
    }),
    ...action('Retry', {
      done: `${name} tries again`,
      text:
        phase === 'Running' || phase === 'Paused'
          ? `Failed units are tried again${failed.length > 0 ? `: on ${failed.join(', ')}` : ''}.`
          : 'It begins again with its first stage.',
    }),
    ...action('Pause', {
      done: `Paused ${name}`,
      text: 'No further cluster starts, and no newer revision takes over. What has begun is completed.',
    }),
    ...action('Resume', {
      style: 'main',
      done: `Resumed ${name}`,
      text: failed.length > 0 ? `It continues, and accepts what has failed: ${failed.join(', ')}.` : 'It continues.',
    }),
  ]
}

/** Of the stage under way, which are those of the page. */
const stageActions = (steered: SteeredRun): readonly Action[] =>
  awaitedApprovals(steered.run)
    .filter(({ cluster }) => cluster === undefined)
    .flatMap(awaited => decisionsAbout(awaited, steered))

/** What a person can do with a cluster that waits at a gate of its own. */
export const clusterActions = (
  { stage, cluster }: Pick<AwaitedApproval, 'stage' | 'cluster'>,
  steered: SteeredRun,
): readonly Action[] =>
  steered.rights.mayDecide
    ? awaitedApprovals(steered.run)
        .filter(one => one.stage === stage && one.cluster === cluster)
        .flatMap(awaited => decisionsAbout(awaited, steered))
    : []

const decisionsAbout = ({ stage, cluster, digests }: AwaitedApproval, { run }: SteeredRun): readonly Action[] => {
  const { name, namespace = '' } = run.metadata
  const decide =
    (decision: Decision) =>
    (confirmed: Confirmed): readonly WriteRequest[] => {
      const subject = { kind: 'RolloutRun', name, stage, ...(cluster && { cluster }) } as const
      const about = { ...run, apiVersion: apiVersionOf(rolloutRunKind), kind: rolloutRunKind.kind }
      return digests.map(digest => {
        const spec = { subject, digest, decision, comment: commentOf(confirmed) }
        return { kind: approvalKind, namespace, object: approvalOf(about, spec, `${name}-${stage}`) }
      })
    }
  const [of, place] = cluster ? ['cluster', `cluster ${cluster}`] : ['stage', `stage ${stage}`]
  const what = `${revisionsOf(run)} ${cluster ? 'on' : 'in'} ${place}`
  return [
    {
      ...{ label: `Reject ${of}…`, style: 'danger', done: `Rejected ${place}`, requests: decide('Rejected') },
      question: {
        ...{ title: `Reject ${what}`, confirm: 'Reject', reason: decisionComment },
        text: 'The run is paused as failed. Clusters that have the revision keep it.',
      },
    },
    {
      ...{ label: `Approve ${of}…`, style: 'main', done: `Approved ${place}`, requests: decide('Approved') },
      question: {
        ...{ title: `Approve ${what}`, confirm: 'Approve', reason: decisionComment },
        text: `Exactly these artifacts continue, once all gates of the ${cluster ? 'cluster' : 'step'} are open.`,
      },
    },
  ]
}

/** Why they can't do more, in sentences. */
export const missingRolloutActions = ({ rollout, run, rights }: SteeredRun, user: string): readonly string[] => {
  const where = `rolloutruns in the namespace ${run.metadata.namespace}`
  return [
    ...(rollout.spec.suspend ? ['No orders: the Rollout is suspended. Resume it first.'] : []),
    ...(rights.mayOrder ? [] : [`No orders: ${user} may not patch ${where}.`]),
    ...(awaitedApprovals(run).length > 0 && !rights.mayDecide
      ? [`No approval: ${user} may not approve ${where}.`]
      : []),
  ]
}
