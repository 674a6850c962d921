/** What a person can do with an object: which requests, and what is said before and after. Pure. */
import {
  allowPrunePatch,
  guardedDigest,
  overridePatch,
  reconcilePatch,
  resumePatch,
  retryPatch,
  suspendPatch,
} from '../../foundations/fleet/actions.ts'
import { isOff, objectStateOf, statusCondition } from '../../foundations/fleet/object-state.ts'
import { pruneGuarded } from '../../foundations/kinds/applied.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { waitingCondition } from '../../foundations/kinds/window.ts'

/** A merge patch of an object. */
export interface ObjectPatch {
  readonly kind: Kind
  readonly namespace: string
  readonly name: string
  readonly body: object
}

/** What is to be confirmed before an action. */
export interface Question {
  readonly title: string
  readonly text: string
  readonly note?: string
  /** The text of the button that goes through with it. */
  readonly confirm: string
  readonly withReason: boolean
  /** How many hours it may be for; absent if it has no end. */
  readonly hours?: readonly number[]
}

export interface Confirmed {
  readonly reason: string
  readonly hours: number
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface ObjectAction {
  readonly label: string
  readonly style: 'main' | 'plain' | 'danger'
  /** The key that does the same. */
  readonly key?: string
  /** Absent for what harms nothing. */
  readonly question?: Question
  /** What to send, one after the other. */
  patches(confirmed: Confirmed): readonly ObjectPatch[]
  /** Said when it is done. */
  readonly done: string
}

export interface Rights {
  readonly mayPatch: boolean
  readonly mayOverride: boolean
  readonly sources: readonly { readonly kind: Kind; readonly namespace: string; readonly name: string }[]
  readonly refusedSources: readonly string[]
}

export interface Subject {
  readonly object: KubernetesObject
  readonly kind: Kind
  readonly allowed: Rights
}

const time = (ms: number): string => new Date(ms).toISOString()

/** In the order in which they are shown. Nothing that the person may not do. */
export const actionsOf = ({ object, kind, allowed }: Subject): readonly ObjectAction[] => {
  if (!allowed.mayPatch) return []
  const { name, namespace = '' } = object.metadata
  const whole = `${kind.kind} ${namespace}/${name}`
  const own = (body: object): ObjectPatch => ({ kind, namespace, name, body })
  if (isOff(object))
    return [{ label: 'Resume', style: 'main', done: `Resumed ${name}`, patches: () => [own(resumePatch(object))] }]
  const requests = ({ now }: Confirmed) => [own(reconcilePatch(time(now)))]
  const { sources } = allowed
  return [
    {
      ...{ label: 'Reconcile', style: 'main', key: 'r', done: `Requested a reconciliation of ${name}` },
      patches: requests,
    },
    ...(sources.length > 0
      ? [
          {
            ...({ label: 'With source', style: 'plain', done: `Requested ${name} and what it needs` } as const),
            patches: (confirmed: Confirmed) => [
              ...sources.map(source => ({ ...source, body: reconcilePatch(time(confirmed.now)) })),
              ...requests(confirmed),
            ],
          },
        ]
      : []),
    ...retryOf(object, own),
    {
      ...{ label: 'Suspend…', style: 'plain', done: `Suspended ${name}` },
      question: {
        ...{ title: `Suspend ${name}`, confirm: 'Suspend', withReason: true },
        text: `${whole} is not reconciled until somebody resumes it. What it has applied stays as it is.`,
      },
      patches: ({ reason }) => [own(suspendPatch(object, reason))],
    },
    ...(allowed.mayOverride ? overrideOf(object, own) : []),
    ...pruneOf(object, own),
  ]
}

type Own = (body: object) => ObjectPatch

/** For HelmReleases that have given up. */
const retryOf = (object: KubernetesObject, own: Own): readonly ObjectAction[] => {
  const { name } = object.metadata
  if (object.kind !== 'HelmRelease' || objectStateOf(object).state !== 'stalled') return []
  return [
    {
      ...{ label: 'Retry…', style: 'plain', done: `Requested one more attempt of ${name}` },
      question: {
        ...{ title: `Retry ${name}`, confirm: 'Retry', withReason: false },
        text: 'Its failures are counted from zero, and the release is attempted again with the chart and values that it has now.',
      },
      patches: ({ now }) => [own(retryPatch(time(now)))],
    },
  ]
}

/** For units whose changes wait for a window. */
const overrideOf = (object: KubernetesObject, own: Own): readonly ObjectAction[] => {
  const { name } = object.metadata
  const waiting = statusCondition(object, waitingCondition)
  if (waiting?.status !== 'True' || waiting.reason === 'ClusterSuspended') return []
  return [
    {
      ...{ label: 'Override window…', style: 'danger', done: `Overrode the windows of ${name}` },
      question: {
        ...{ title: `Override the windows of ${name}`, confirm: 'Override', withReason: true, hours: [1, 4, 12] },
        text: `Now ${waiting.message}`,
        note: 'What waits is applied at once, and so is every other change until the time is over.',
      },
      patches: ({ reason, hours, now }) => [own(overridePatch(time(now + hours * 3_600_000), reason, time(now)))],
    },
  ]
}

/** For units whose deletions are held. */
const pruneOf = (object: KubernetesObject, own: Own): readonly ObjectAction[] => {
  const { name } = object.metadata
  const guarded = statusCondition(object, pruneGuarded)
  const digest = guarded?.status === 'True' ? guardedDigest(guarded.message) : undefined
  if (!guarded || !digest) return []
  return [
    {
      ...{ label: 'Allow deletions…', style: 'danger', done: `Allowed the deletions of ${name}` },
      question: {
        ...{ title: `Allow the deletions of ${name}`, confirm: 'Delete these', withReason: false },
        text: guarded.message.replace(/; to delete exactly these[\s\S]*/, ''),
        note: 'Exactly these are deleted, once. If the list has changed in the meantime, nothing is.',
      },
      patches: ({ now }) => [own(allowPrunePatch(digest, time(now)))],
    },
  ]
}

/** Why some actions are missing, in sentences; none if all are there. */
export const missingActions = ({ object, kind, allowed }: Subject, user: string): readonly string[] => {
  const { namespace = '' } = object.metadata
  const may = (what: string) => `${user} may not ${what} ${kind.plural} in the namespace ${namespace}.`
  if (!allowed.mayPatch) return [`No actions: ${may('patch')}`]
  const isWaiting = statusCondition(object, waitingCondition)?.status === 'True'
  return [
    ...(isWaiting && !allowed.mayOverride ? [`No override: ${may('override')}`] : []),
    ...(allowed.refusedSources.length > 0 && !isOff(object)
      ? [`Without source: ${user} may not patch ${allowed.refusedSources.join(', ')}.`]
      : []),
  ]
}
