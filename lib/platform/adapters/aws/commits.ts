import { describeRef } from '../../../foundations/kinds/object.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Lease } from '../../ports/leases.ts'
import { type ObjectChange, type StoredObject, StoreError } from '../../ports/objects.ts'
import { collectionOf } from '../collection-name.ts'
import { dueAfter } from '../due-after.ts'
import type { ChangeLog, LoggedChange } from './change-log.ts'
import { type Head, headIn, headItem, isGone, labelsText, storedAs, timeToLive, tombstone } from './heads.ts'
import { headKey, leaseKey, placeOf, referrerKey } from './item-keys.ts'
import type { State, States } from './states.ts'
import { type FailedStep, type Item, number, type Step, type Table, text } from './table.ts'
import type { Versions } from './versions.ts'

export interface CommitPorts {
  readonly table: Table
  readonly states: States
  readonly clock: Clock
  readonly versions: Versions
  readonly log: ChangeLog
}

/** DynamoDB allows 100 steps per transaction; three are those of the head, the log and the lease. */
const maxReferences = 90
const attempts = 20

/**
 * Commits a change in one transaction: the head, its slot in the log, its index entries and the check of the lease. The version is taken before,
 * outside the transaction: a counter inside would make all writers of a collection collide.
 */
export const commits = ({ table, states, clock, versions, log }: CommitPorts) => {
  const commit = async (change: ObjectChange): Promise<StoredObject> => {
    for (let attempt = 1; ; attempt++) {
      const head = await headFor(change)
      const next = await plan(change, head)
      const stored = await perform(change, head, next)
      if (stored) return stored
      // The object or its due time has changed since we read it, or a reader has voided our slot.
      if (attempt === attempts)
        throw new Error(`${describeRef(change.ref)} changed too often: gave up after ${attempt} attempts`)
    }
  }

  /** The current state of the object, if the change applies to it. */
  const headFor = async (change: ObjectChange): Promise<Head | undefined> => {
    const { ref } = change
    const head = await liveHead(change)
    if (change.op === 'create') {
      if (head) throw new StoreError('exists', `${describeRef(ref)} already exists`)
      return undefined
    }
    if (!head) throw new StoreError('missing', `${describeRef(ref)} does not exist`)
    if (String(head.version) !== change.expect)
      throw new StoreError('conflict', `${describeRef(ref)} is at version ${head.version}, not at ${change.expect}`)
    return head
  }

  /** Deletes an expired object first, so that its name is free. */
  const liveHead = async ({ ref }: ObjectChange): Promise<Head | undefined> => {
    const item = await table.get(headKey(collectionOf(ref), placeOf(ref)))
    const head = item && !isGone(item) ? headIn(item) : undefined
    const { expires } = head?.state ?? {}
    if (!head || expires === undefined || expires > clock.now()) return head
    const remains: ObjectChange = { op: 'delete', ref, expect: String(head.version), body: '' }
    await perform(remains, head, { state: head.state })
    return undefined
  }

  interface Next {
    readonly state: State
    readonly due?: number
    readonly group?: string
    readonly labels?: string
  }

  const plan = async (change: ObjectChange, head: Head | undefined): Promise<Next> => {
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

  /** Undefined if the object has changed since the commit was planned. */
  const perform = async (
    change: ObjectChange,
    head: Head | undefined,
    next: Next,
  ): Promise<StoredObject | undefined> => {
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
      ...references.slice(0, maxReferences),
    ]
    const refusal = await outcomeOf(collection, version, steps)
    if (refusal?.step === 'lease')
      throw new StoreError('fenced', `${describeRef(ref)} was not written: lease ${fence!.token} was lost`)
    if (refusal) return undefined
    for (let i = maxReferences; i < references.length; i += maxReferences)
      await table.transact(references.slice(i, i + maxReferences))
    await log.settleIfDue(collection, counter)
    return storedAs(ref, { ...next, version }, change.body)
  }

  /** Voids a slot that was not filled, so that no reader waits for it. If it turns out to be filled, the commit succeeded. */
  const outcomeOf = async (collection: string, version: number, steps: Step[]): Promise<FailedStep | undefined> => {
    try {
      const refusal = await table.transact(steps)
      if (refusal && refusal.step !== 'change') await log.abandon(collection, version)
      return refusal
    } catch (error) {
      const isOpen = await log.abandon(collection, version)
      if (isOpen) throw error
      // Only the response was lost, unless a reader voided the slot before us.
      if (await log.isVoid(collection, version)) throw error
      return undefined
    }
  }

  return commit
}

const headStep = (change: ObjectChange, head: Head | undefined, next: Omit<Head, 'place'>, now: number): Step => {
  const { ref } = change
  if (!head)
    return {
      name: 'head',
      put: headItem(ref, next),
      // An object that was created and deleted after we took our version has changes after ours, but ours must come last.
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

/** Index entries to add and remove; none if the list is unchanged. */
const referenceSteps = ({ op, ref }: ObjectChange, head: Head | undefined, { state }: { state: State }): Step[] => {
  const collection = collectionOf(ref)
  const place = placeOf(ref)
  const before = new Set(head?.state.refersTo)
  const after = new Set(op === 'delete' ? [] : state.refersTo)
  const ttl: Item = state.expires === undefined ? {} : { ttl: timeToLive(state.expires) }
  const kept = state.expires === undefined ? before : new Set<string>() // all of them need the new expiry
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
