import type { Alert } from '../../foundations/kinds/alert.ts'
import type { ObjectRef } from '../../foundations/kinds/object.ts'
import { sha256Hex } from '../../foundations/rules/sha256.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { type ObjectStore, StoreError } from '../../platform/ports/objects.ts'
import { pacingOf } from './alert-pacing.ts'
import { type CauseGroup, withGroup } from './cause.ts'
import type { Notification } from './notification.ts'
import type { Outbox } from './outbox.ts'
import { type StateChange, stateChange } from './state-changes.ts'

export interface PacedOutboxPorts {
  readonly outbox: Outbox
  readonly objects: Pick<ObjectStore, 'get' | 'commit'>
  readonly clock: Pick<Clock, 'now'>
}

/** How long a message waits for others with the same cause, in milliseconds. */
const gatherMs = 60_000
/** As long as objects that fail are known. */
const keptMs = 31 * 24 * 60 * 60_000
const maxAttempts = 20

/** A cause for which objects of an Alert fail now. */
interface ActiveCause {
  readonly failing: number
  /** All that have failed for it. */
  readonly group: readonly CauseGroup[]
}

/**
 * Adds events to the outbox as the annotations of their Alerts specify: all of them, changes of state, one message per cause, or a digest. Fails with
 * InvalidPacing.
 */
export const pacedOutbox = ({ outbox, objects, clock }: PacedOutboxPorts): Pick<Outbox, 'add'> => {
  /** Counts an object in or out of its cause; resolves to what is known of that then. */
  const count = async (alert: Alert, change: StateChange, object: string): Promise<ActiveCause> => {
    const { namespace = '', uid } = alert.metadata
    const name = sha256Hex(JSON.stringify([uid, change.cause]))
    const ref: ObjectRef = { group: 'notify.keelson.dev', kind: 'Cause', namespace, name }
    for (let tried = 0; ; tried++) {
      const stored = await objects.get(ref)
      const known: ActiveCause | undefined = stored && JSON.parse(stored.body)
      const isFailing = change.state === 'failing'
      const failing = Math.max(0, (known?.failing ?? 0) + (isFailing ? 1 : -1))
      const group = isFailing ? withGroup(known?.group ?? [], groupOf(change, object)) : (known?.group ?? [])
      const next: ActiveCause = { failing, group }
      const write = { ref, body: JSON.stringify(next), refersTo: [], expires: clock.now() + keptMs }
      try {
        if (!stored) await objects.commit({ op: 'create', ...write })
        else if (failing === 0) await objects.commit({ op: 'delete', ref, expect: stored.version, body: stored.body })
        else await objects.commit({ op: 'update', expect: stored.version, ...write })
        return next
      } catch (error) {
        if (!(error instanceof StoreError) || tried === maxAttempts) throw error
      }
    }
  }

  const byCause = async (alert: Alert, change: StateChange, notification: Notification, object: string) => {
    const { failing, group } = await count(alert, change, object)
    const now = clock.now()
    const batch = { name: change.cause, groups: [groupOf(change, object)], at: now + gatherMs }
    if (change.state === 'failing') return outbox.gather(alert, { ...batch, joinOnly: failing > 1 }, notification)
    if (failing > 0 || (await outbox.withdraw(alert, change.cause))) return
    const recovered = group.map(one => ({ ...one, state: 'healthy' as const }))
    await outbox.gather(alert, { name: `${change.cause} recovered`, groups: recovered, at: now }, notification)
  }

  return {
    add: async (alert, notification) => {
      const pacing = pacingOf(alert)
      if (!pacing) return outbox.add(alert, notification)
      const now = clock.now()
      const change = await stateChange(objects, alert, notification, now)
      if (!change) return
      const { kind, namespace, name } = notification.involvedObject
      const object = `${kind}/${namespace}/${name}`
      const at = pacing.nextDigest?.(now)
      if (at !== undefined) {
        const digest = { name: 'digest', groups: [groupOf(change, object)], at }
        return outbox.gather(alert, digest, digestOf(alert, notification))
      }
      if (pacing.byCause) return byCause(alert, change, notification, object)
      await outbox.add(alert, notification)
    },
  }
}

const groupOf = ({ state, cause, message }: StateChange, object: string): CauseGroup => ({
  ...{ state, cause, message },
  count: 1,
  objects: [object],
})

/** A digest is about no single object: it is the Alert's. */
const digestOf = ({ apiVersion, kind, metadata }: Alert, { timestamp }: Notification): Notification => ({
  involvedObject: { apiVersion, kind, namespace: metadata.namespace ?? '', name: metadata.name },
  severity: 'info',
  timestamp,
  message: '',
  reason: 'Digest',
  reportingController: 'notification-controller',
})
