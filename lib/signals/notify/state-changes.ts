import type { Alert } from '../../foundations/kinds/alert.ts'
import type { ObjectRef } from '../../foundations/kinds/object.ts'
import { sha256Hex } from '../../foundations/rules/sha256.ts'
import { type ObjectStore, StoreError } from '../../platform/ports/objects.ts'
import { causeOf, stateIn, topicOf } from './cause.ts'
import type { Notification } from './notification.ts'

/** What is known of an object that fails, for one Alert. */
interface Failing {
  readonly cause: string
  readonly message: string
}

export interface StateChange extends Failing {
  readonly state: 'failing' | 'healthy'
}

/** How long a failure is remembered, in milliseconds: one that lasts longer is reported again. */
const keptMs = 31 * 24 * 60 * 60_000

/**
 * Whether an event changes what an Alert has reported of its object. Costs one read for each event, and a write for each change: what fails is
 * stored, what is healthy is not. The cause of a recovery is that of the failure.
 */
export const stateChange = async (
  objects: Pick<ObjectStore, 'get' | 'commit'>,
  { metadata }: Alert,
  notification: Notification,
  now: number,
): Promise<StateChange | undefined> => {
  const state = stateIn(notification)
  if (!state) return undefined
  const { kind, namespace, name } = notification.involvedObject
  const topic = topicOf(notification)
  const key = sha256Hex(JSON.stringify([metadata.uid, kind, namespace, name, ...(topic ? [topic] : [])]))
  const ref: ObjectRef = {
    group: 'notify.keelson.dev',
    kind: 'Failing',
    namespace: metadata.namespace ?? '',
    name: key,
  }
  const stored = await objects.get(ref)
  const isFailing = stored !== undefined && (stored.expires ?? now) >= now
  if (isFailing === (state === 'failing')) return undefined
  try {
    if (state === 'healthy') {
      await objects.commit({ op: 'delete', ref, expect: stored!.version, body: stored!.body })
      return { state, ...(JSON.parse(stored!.body) as Failing) }
    }
    const failing: Failing = { cause: causeOf(notification), message: notification.message }
    const change = { ref, body: JSON.stringify(failing), refersTo: [], expires: now + keptMs }
    await objects.commit(stored ? { op: 'update', expect: stored.version, ...change } : { op: 'create', ...change })
    return { state, ...failing }
  } catch (error) {
    if (error instanceof StoreError) return undefined // another process reports it
    throw error
  }
}
