import type { Alert } from '../../foundations/kinds/alert.ts'
import type { ObjectRef } from '../../foundations/kinds/object.ts'
import { isFromWrongClock } from '../../foundations/rules/schedule.ts'
import { sha256Hex } from '../../foundations/rules/sha256.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Log } from '../../platform/ports/log.ts'
import { type ObjectStore, type StoredObject, StoreError } from '../../platform/ports/objects.ts'
import { type Message, maxDelayMs, type Queue } from '../../platform/ports/queue.ts'
import { type CauseGroup, describeGroups, withGroup } from './cause.ts'
import { NotDelivered } from './http.ts'
import type { Notification } from './notification.ts'

/**
 * Stores notifications until they are delivered: each separately, so that an unresponsive Provider does not delay the
 * others. Delivered ones are kept for a while, so that the same notification is not sent twice within five minutes.
 */
export interface Outbox {
  add(alert: Alert, notification: Notification): Promise<void>
  /** Adds to a message that is sent at some time (ms since the epoch), and begins it unless it is to be joined only. */
  gather(alert: Alert, batch: Batch, notification: Notification): Promise<void>
  /** Takes a gathered message back; resolves to whether it had not been sent yet. */
  withdraw(alert: Alert, batch: string): Promise<boolean>
  /** Whether a message belongs to the outbox. */
  owns(message: Message): boolean
  /** Tries to deliver the notification of a message. */
  handle(message: Message): Promise<void>
  /** Enqueues undelivered notifications, whose messages may be lost. To be called periodically. */
  sweep(): Promise<void>
}

export interface OutboxPorts {
  readonly objects: Pick<ObjectStore, 'get' | 'list' | 'commit'>
  readonly queue: Queue
  readonly clock: Clock
  readonly log: Log
  /** Delivers to the Provider of an Alert; does nothing if the Alert is gone. */
  deliver(alert: ObjectRef, notification: Notification): Promise<void>
  /** Called after the first and the last failed attempt. */
  onFailure(alert: ObjectRef, notification: Notification, message: string): Promise<void>
}

export interface Batch {
  /** Which message of the Alert. */
  readonly name: string
  readonly groups: readonly CauseGroup[]
  readonly at: number
  readonly joinOnly?: boolean
}

interface Entry {
  readonly alert: { readonly namespace: string; readonly name: string }
  readonly notification: Notification
  /** Milliseconds since the epoch. */
  readonly since: number
  readonly attempts: number
  /** Time of the next attempt; also set during an attempt, as a claim. */
  readonly notBefore: number
  /** Delivered, or given up. */
  readonly settled?: true
  /** What has been gathered for the message. */
  readonly groups?: readonly CauseGroup[]
}

const group = 'notify.keelson.dev'
const kind = 'Notification'

const deduplicationMs = 5 * 60_000
const maxRetryMs = 60 * 60_000
/** Longer than any sensible timeout of a Provider. */
const claimMs = 2 * 60_000
const keptMs = 24 * 60 * 60_000

/**
 * The outbox in a hub's store and queue. A notification is attempted for an hour, with growing delays, and equal ones
 * within five minutes are sent once.
 */
export const createOutbox = (ports: OutboxPorts): Outbox => {
  const { objects, queue, clock, log } = ports

  const send = (ref: ObjectRef, delayMs = 0): Promise<void> =>
    queue.send([{ stage: 'notify', ref, group: `alerts/${ref.namespace}`, delayMs: Math.min(delayMs, maxDelayMs) }])

  const write = async (stored: StoredObject, entry: Entry, expires: number): Promise<StoredObject | undefined> => {
    const { ref, version: expect } = stored
    try {
      return await objects.commit({ op: 'update', ref, expect, body: JSON.stringify(entry), refersTo: [], expires })
    } catch (error) {
      if (error instanceof StoreError && ['conflict', 'missing'].includes(error.code)) return undefined
      throw error
    }
  }

  const settle = (stored: StoredObject, entry: Entry) =>
    write(stored, { ...entry, settled: true }, clock.now() + deduplicationMs)

  const fail = async (stored: StoredObject, entry: Entry, error: Error): Promise<void> => {
    const now = clock.now()
    const attempts = entry.attempts + 1
    const willRetry = error instanceof NotDelivered && now - entry.since < maxRetryMs
    log.error('failed to deliver a notification', { alert: entry.alert, attempts, willRetry, error })
    if (attempts === 1 || !willRetry) await ports.onFailure(alertRef(entry), entry.notification, error.message)
    if (!willRetry) return void (await settle(stored, entry))
    const delay = Math.max((error as NotDelivered).retryAfterMs ?? 0, Math.min(2_000 * 4 ** (attempts - 1), 5 * 60_000))
    await write(stored, { ...entry, attempts, notBefore: now + delay }, entry.since + keptMs)
    await send(stored.ref, delay)
  }

  const batchRef = ({ metadata }: Alert, batch: string): ObjectRef => {
    const name = sha256Hex(JSON.stringify([metadata.uid ?? metadata.name, 'batch', batch]))
    return { group, kind, namespace: metadata.namespace ?? '', name }
  }
  /** The stored batch, unless it has been sent. */
  const openBatch = async (ref: ObjectRef) => {
    const stored = await objects.get(ref)
    const entry = stored && (stored.expires ?? 0) >= clock.now() ? entryOf(stored) : undefined
    return { stored, entry: entry?.settled ? undefined : entry }
  }

  return {
    gather: async (alert, { name, groups, at, joinOnly = false }, notification) => {
      const ref = batchRef(alert, name)
      const { namespace = '', name: alertName } = alert.metadata
      for (let tried = 0; tried < gatherAttempts; tried++) {
        const { stored, entry } = await openBatch(ref)
        if (!entry && joinOnly) return
        const now = clock.now()
        const due = Math.max(at, now)
        const begun = { alert: { namespace, name: alertName }, notification, since: due, attempts: 0, notBefore: at }
        const next: Entry = { ...(entry ?? begun), groups: groups.reduce(withGroup, entry?.groups ?? []) }
        const change = { ref, body: JSON.stringify(next), refersTo: [], expires: due + keptMs }
        try {
          await objects.commit(
            stored ? { op: 'update', expect: stored.version, ...change } : { op: 'create', ...change },
          )
          if (!entry) await send(ref, Math.max(0, at - now))
          return
        } catch (error) {
          if (!(error instanceof StoreError)) throw error
        }
      }
      log.error('an event was not added to a message: others do so all the time', { alert: alertName })
    },

    withdraw: async (alert, batch) => {
      const { stored, entry } = await openBatch(batchRef(alert, batch))
      return stored !== undefined && entry !== undefined && (await settle(stored, entry)) !== undefined
    },

    add: async ({ metadata }, notification) => {
      const namespace = metadata.namespace ?? ''
      const ref: ObjectRef = { group, kind, namespace, name: nameOf(metadata.uid ?? metadata.name, notification) }
      const now = clock.now()
      const alert = { namespace, name: metadata.name }
      const entry: Entry = { alert, notification, since: now, attempts: 0, notBefore: 0 }
      const stored = await objects.get(ref)
      if (stored && isDuplicate(stored, now)) return
      const body = JSON.stringify(entry)
      try {
        if (stored) await write(stored, entry, now + keptMs)
        else await objects.commit({ op: 'create', ref, body, refersTo: [], expires: now + keptMs })
      } catch (error) {
        if (!(error instanceof StoreError && error.code === 'exists')) throw error
      }
      await send(ref)
    },

    owns: ({ ref }) => ref.group === group && ref.kind === kind,

    handle: async ({ ref }) => {
      const stored = await objects.get(ref)
      const entry = stored && entryOf(stored)
      if (!stored || !entry || entry.settled) return
      const now = clock.now()
      const wait = delayOf(entry, now)
      if (wait > 0) return send(ref, wait)
      const claimed = await write(stored, { ...entry, notBefore: now + claimMs }, entry.since + keptMs)
      if (!claimed) return // another process is delivering it
      try {
        await ports.deliver(alertRef(entry), messageOf(entry))
        await settle(claimed, entry)
      } catch (error) {
        await fail(claimed, entry, error as Error)
      }
    },

    sweep: async () => {
      let next: string | undefined
      do {
        const page = await objects.list({ group, kind, limit: 500, ...(next && { continue: next }) })
        const now = clock.now()
        const waiting = page.items.filter(item => {
          const entry = entryOf(item)
          return !entry.settled && delayOf(entry, now) === 0 && (item.expires ?? now) >= now
        })
        for (const { ref } of waiting) await send(ref)
        next = page.continue
      } while (next)
    },
  }
}

const gatherAttempts = 20

const messageOf = ({ notification, groups }: Entry): Notification => {
  if (!groups) return notification
  const severity = groups.some(({ state }) => state === 'failing') ? 'error' : 'info'
  return { ...notification, severity, message: describeGroups(groups) }
}

/**
 * Milliseconds until the next attempt. A delay beyond the notification's lifetime comes from a wrong clock and is
 * ignored.
 */
const delayOf = ({ notBefore, groups }: Entry, now: number): number =>
  !groups && notBefore - now > maxRetryMs ? 0 : Math.max(0, notBefore - now)

const isDuplicate = (stored: StoredObject, now: number): boolean => {
  const { expires = 0 } = stored
  return expires > now && !(entryOf(stored).settled && isFromWrongClock(expires - deduplicationMs, now))
}

const entryOf = ({ body }: StoredObject): Entry => JSON.parse(body)

const alertRef = ({ alert }: Entry): ObjectRef => ({ group: 'notification.toolkit.fluxcd.io', kind: 'Alert', ...alert })

/** Equal for equal notifications through the same Alert, at any time. */
const nameOf = (alert: string, { involvedObject, reason, message, metadata = {} }: Notification): string => {
  const { kind, namespace, name } = involvedObject
  const parts = [alert, kind, namespace, name, reason, message, Object.entries(metadata).sort()]
  return sha256Hex(JSON.stringify(parts))
}
