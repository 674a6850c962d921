import { describeRef } from '../../../foundations/kinds/object.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Lease } from '../../ports/leases.ts'
import { type Change, type StoredObject, StoreError } from '../../ports/objects.ts'
import type { ChangeLog, LoggedChange } from './change-log.ts'
import { type Head, headIn, headItem, isGone, labelsText, storedAs, timeToLive, tombstone } from './heads.ts'
import { collectionOf, headKey, leaseKey, placeOf, referrerKey } from './item-keys.ts'
import type { State, States } from './states.ts'
import { type Item, number, type Refusal, type Step, type Table, text } from './table.ts'
import type { Versions } from './versions.ts'

export interface CommitPorts {
  readonly table: Table
  readonly states: States
  readonly clock: Clock
  readonly versions: Versions
  readonly log: ChangeLog
}

type Write = Exclude<Change, { op: 'delete' }>

/** DynamoDB takes 100 steps in a transaction; three are the head's, the log's and the lease's. */
const referencesAtOnce = 90
const attempts = 20

/**
 * One change: the head, its slot in the log, its index entries and the check of the lease, in one transaction. The version is
 * taken before, outside of it: a counter inside would have all writers of a collection collide.
 */
export const commits = ({ table, states, clock, versions, log }: CommitPorts) => {
  const commit = async (change: Change): Promise<StoredObject> => {
    for (let attempt = 1; ; attempt++) {
      const head = await headFor(change)
      const next = await plan(change, head)
      const stored = await perform(change, head, next)
      if (stored) return stored
      // Somebody changed the object or its due time since we read it, or a reader found our slot empty for too long.
      if (attempt === attempts)
        throw new Error(`${describeRef(change.ref)} is written too often: gave up after ${attempt} tries`)
    }
  }

  /** The object as it is, when the change may be made to it. */
  const headFor = async (change: Change): Promise<Head | undefined> => {
    const { ref } = change
    const head = await liveHead(change)
    if (change.op === 'create') {
      if (head) throw new StoreError('exists', `${describeRef(ref)} exists already`)
      return undefined
    }
    if (!head) throw new StoreError('missing', `${describeRef(ref)} does not exist`)
    if (String(head.version) !== change.expect)
      throw new StoreError('conflict', `${describeRef(ref)} is at version ${head.version}, not at ${change.expect}`)
    return head
  }

  /** What an expired object left behind is cleared away first, so that its name is free. */
  const liveHead = async ({ ref }: Change): Promise<Head | undefined> => {
    const item = await table.get(headKey(collectionOf(ref), placeOf(ref)))
    const head = item && !isGone(item) ? headIn(item) : undefined
    const { expires } = head?.state ?? {}
    if (!head || expires === undefined || expires > clock.now()) return head
    const remains: Change = { op: 'delete', ref, expect: String(head.version), body: '' }
    await perform(remains, head, { state: head.state })
    return undefined
  }

  interface Next {
    readonly state: State
    readonly due?: number
    readonly group?: string
    readonly labels?: string
  }

  const plan = async (change: Change, head: Head | undefined): Promise<Next> => {
    const owner = headKey(collectionOf(change.ref), placeOf(change.ref))
    if (change.op === 'delete') {
      const { refersTo } = head!.state
      return { state: await states.stateOf(change.body, { refersTo }, owner) }
    }
    const { body, refersTo, expires, labels } = change
    const due = dueAfter(change, head?.due)
    const group = change.group ?? head?.group
    return {
      state: await states.stateOf(body, { refersTo, ...(expires !== undefined && { expires }) }, owner),
      ...(due !== undefined && { due }),
      ...(group !== undefined && { group }),
      ...(labels && { labels: labelsText(labels) }),
    }
  }

  /** Undefined when the state that it was planned for is no longer there. */
  const perform = async (change: Change, head: Head | undefined, next: Next): Promise<StoredObject | undefined> => {
    const { ref, fence } = change
    const collection = collectionOf(ref)
    const at = clock.now()
    const counter = await versions.take(collection)
    const version = counter.last
    const logged: LoggedChange = {
      version,
      type: change.op === 'create' ? 'created' : change.op === 'update' ? 'updated' : 'deleted',
      ref,
      after: next.state,
      ...(head && { before: { ...head.state, version: head.version } }),
    }
    const references = referenceSteps(change, head, next)
    const steps = [
      headStep(change, head, { ...next, version }, at),
      log.fill(collection, logged, { at }),
      ...(fence ? [leaseStep(fence)] : []),
      ...references.slice(0, referencesAtOnce),
    ]
    const refusal = await outcomeOf(collection, version, steps)
    if (refusal?.step === 'lease')
      throw new StoreError(
        'fenced',
        `${describeRef(ref)} is not written: the lease with token ${fence!.token} was lost`,
      )
    if (refusal) return undefined
    for (let i = referencesAtOnce; i < references.length; i += referencesAtOnce)
      await table.transact(references.slice(i, i + referencesAtOnce))
    await log.keepSettled(collection, counter)
    return storedAs(ref, { ...next, version }, change.body)
  }

  /** A slot that is not filled is given up, so that no reader waits for it; and one that is filled tells of success. */
  const outcomeOf = async (collection: string, version: number, steps: Step[]): Promise<Refusal | undefined> => {
    try {
      const refusal = await table.transact(steps)
      if (refusal && refusal.step !== 'change') await log.abandon(collection, version)
      return refusal
    } catch (error) {
      const isOpen = await log.abandon(collection, version)
      if (isOpen) throw error
      // The answer got lost, not the change; unless a reader was quicker than us, whose void slot looks different.
      if (await log.isVoid(collection, version)) throw error
      return undefined
    }
  }

  return commit
}

const headStep = (change: Change, head: Head | undefined, next: Omit<Head, 'place'>, now: number): Step => {
  const { ref } = change
  if (!head)
    return {
      name: 'head',
      put: headItem(ref, next),
      // One that was made and deleted since our version was taken has changes that come after ours: we must come after them.
      condition: 'attribute_not_exists(#pk) OR (#gone = :yes AND #version < :version)',
      values: { ':yes': { BOOL: true }, ':version': number(next.version) },
    }
  const values = { ':expect': number(head.version) }
  if (change.op === 'delete')
    return { name: 'head', put: tombstone(ref, next.version, now), condition: '#version = :expect', values }
  const [sameDue, due] =
    head.due === undefined ? ['attribute_not_exists(#due)', {}] : ['#due = :due', { ':due': number(head.due) }]
  return {
    name: 'head',
    put: headItem(ref, next),
    condition: `#version = :expect AND ${sameDue}`,
    values: { ...values, ...due },
  }
}

const leaseStep = ({ ref, token }: Lease): Step => ({
  name: 'lease',
  check: leaseKey(ref),
  condition: '#token = :token AND #held = :held',
  values: { ':token': number(token), ':held': { BOOL: true } },
})

/** Index entries that come and go; on an unchanged list there are none. */
const referenceSteps = ({ op, ref }: Change, head: Head | undefined, { state }: { state: State }): Step[] => {
  const collection = collectionOf(ref)
  const place = placeOf(ref)
  const before = new Set(head?.state.refersTo)
  const after = new Set(op === 'delete' ? [] : state.refersTo)
  const ttl: Item = state.expires === undefined ? {} : { ttl: timeToLive(state.expires) }
  const kept = state.expires === undefined ? before : new Set<string>() // a new time for each of them
  return [
    ...[...after.difference(kept)].map((target): Step => {
      const { pk, sk } = referrerKey(target, collection, place)
      return { name: 'referrer', put: { pk: text(pk), sk: text(sk), ...ttl } }
    }),
    ...[...before.difference(after)].map(
      (target): Step => ({ name: 'referrer', remove: referrerKey(target, collection, place) }),
    ),
  ]
}

/** See `Written` in the port. */
function dueAfter({ due, dueSeen }: Write, stored: number | undefined): number | undefined {
  if (due === undefined) return stored
  if (dueSeen === undefined || stored === undefined || stored === dueSeen) return due ?? undefined
  return Math.min(stored, due ?? stored)
}
