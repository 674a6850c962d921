/** What a person can do with an object. Pure. */
import {
  forcePatch,
  overridePatch,
  reconcilePatch,
  resumePatch,
  retryPatch,
  suspendPatch,
} from '../../foundations/fleet/actions.ts'
import { isOff, objectStateOf, statusCondition } from '../../foundations/fleet/object-state.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { waitingCondition } from '../../foundations/kinds/window.ts'
import type { ObjectPatch } from '../../hub-client/send-requests.ts'
import type { Action, Confirmed } from './action.ts'
import { allowanceOf, decisionsOf, heldBy } from './deletion-actions.ts'
import { followAgain } from './undo-actions.ts'

export interface Rights {
  readonly mayPatch: boolean
  readonly mayOverride: boolean
  readonly mayDecide: boolean
  readonly sources: readonly { readonly kind: Kind; readonly namespace: string; readonly name: string }[]
  readonly refusedSources: readonly string[]
}

export interface Subject {
  readonly object: KubernetesObject
  readonly kind: Kind
  readonly allowed: Rights
}

const suspendReason = { label: 'Reason, for those who find it so', isRequired: true } as const

const time = (ms: number): string => new Date(ms).toISOString()

/** In the order in which they are shown. Nothing that the person may not do. */
export const actionsOf = ({ object, kind, allowed }: Subject): readonly Action[] => {
  if (!allowed.mayPatch) return allowed.mayDecide && !isOff(object) ? decisionsOf(object) : []
  const { name, namespace = '' } = object.metadata
  const whole = `${kind.kind} ${namespace}/${name}`
  const own = (body: object): ObjectPatch => ({ kind, namespace, name, body })
  if (isOff(object))
    return [{ label: 'Resume', style: 'main', done: `Resumed ${name}`, requests: () => [own(resumePatch(object))] }]
  const requests = ({ now }: Confirmed) => [own(reconcilePatch(time(now)))]
  const { sources } = allowed
  return [
    {
      ...{ label: 'Reconcile', style: 'main', key: 'r', done: `Requested a reconciliation of ${name}` },
      requests,
    },
    ...(sources.length > 0
      ? [
          {
            ...({ label: 'With source', style: 'plain', done: `Requested ${name} and what it needs` } as const),
            requests: (confirmed: Confirmed) => [
              ...sources.map(source => ({ ...source, body: reconcilePatch(time(confirmed.now)) })),
              ...requests(confirmed),
            ],
          },
        ]
      : []),
    ...retryOf(object, own),
    ...forceOf(object, own),
    ...followAgain(object, own),
    {
      ...{ label: 'Suspend…', style: 'plain', done: `Suspended ${name}` },
      question: {
        ...{ title: `Suspend ${name}`, confirm: 'Suspend', reason: suspendReason },
        text: `${whole} is not reconciled until somebody resumes it. What it has applied stays as it is.`,
      },
      requests: ({ reason }) => [own(suspendPatch(object, reason))],
    },
    ...(allowed.mayOverride ? overrideOf(object, own) : []),
    ...(allowed.mayDecide ? decisionsOf(object) : allowanceOf(object, own)),
  ]
}

type Own = (body: object) => ObjectPatch

/** For HelmReleases that have given up. */
const retryOf = (object: KubernetesObject, own: Own): readonly Action[] => {
  const { name } = object.metadata
  if (object.kind !== 'HelmRelease' || objectStateOf(object).state !== 'stalled') return []
  return [
    {
      ...{ label: 'Retry…', style: 'plain', done: `Requested one more attempt of ${name}` },
      question: {
        ...{ title: `Retry ${name}`, confirm: 'Retry' },
        text: 'Its failures are counted from zero, and the release is attempted again with the chart and values that it has now.',
      },
      requests: ({ now }) => [own(retryPatch(time(now)))],
    },
  ]
}

/** For HelmReleases, as `flux reconcile helmrelease --force`. */
const forceOf = (object: KubernetesObject, own: Own): readonly Action[] => {
  const { name } = object.metadata
  if (object.kind !== 'HelmRelease') return []
  return [
    {
      ...{ label: 'Force…', style: 'plain', done: `Requested a release of ${name}` },
      question: {
        ...{ title: `Force ${name}`, confirm: 'Force' },
        text: 'It is installed or upgraded once more with the chart and values that it has now, even if nothing has changed. Hooks run again, and changes on the cluster are overwritten.',
      },
      requests: ({ now }) => [own(forcePatch(time(now)))],
    },
  ]
}

/** For units whose changes wait for a window. */
const overrideOf = (object: KubernetesObject, own: Own): readonly Action[] => {
  const { name } = object.metadata
  const waiting = statusCondition(object, waitingCondition)
  if (waiting?.status !== 'True' || waiting.reason === 'ClusterSuspended') return []
  return [
    {
      ...{ label: 'Override window…', style: 'danger', done: `Overrode the windows of ${name}` },
      question: {
        ...{ title: `Override the windows of ${name}`, confirm: 'Override', reason: suspendReason, hours: [1, 4, 12] },
        text: `Now ${waiting.message}`,
        note: 'What waits is applied at once, and so is every other change until the time is over.',
      },
      requests: ({ reason, hours, now }) => [own(overridePatch(time(now + hours * 3_600_000), reason, time(now)))],
    },
  ]
}

/** Why some actions are missing, in sentences; none if all are there. */
export const missingActions = ({ object, kind, allowed }: Subject, user: string): readonly string[] => {
  const { namespace = '' } = object.metadata
  const may = (what: string) => `${user} may not ${what} ${kind.plural} in the namespace ${namespace}.`
  const held = isOff(object) ? undefined : heldBy(object)
  const undecided = held && !allowed.mayDecide ? [`No decision about the deletions: ${may('approve')}`] : []
  if (!allowed.mayPatch) return [`No actions: ${may('patch')}`, ...undecided]
  const isWaiting = statusCondition(object, waitingCondition)?.status === 'True'
  return [
    ...(isWaiting && !allowed.mayOverride ? [`No override: ${may('override')}`] : []),
    ...(allowed.refusedSources.length > 0 && !isOff(object)
      ? [`Without source: ${user} may not patch ${allowed.refusedSources.join(', ')}.`]
      : []),
    ...(held?.isAnnotationEnough ? [] : undecided),
  ]
}
