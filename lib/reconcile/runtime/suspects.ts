import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Lease } from '../../platform/ports/leases.ts'
import type { Message } from '../../platform/ports/queue.ts'
import type { Failed } from './reconciler.ts'

/** After this many consecutive passes that killed their process, the next one is skipped. */
const maxAbandoned = 2

/** How long a suspect is skipped. A change, such as another spec, a request or a new revision, ends that. */
const restMs = 60 * 60_000

/**
 * If an earlier pass over the object never ended: the message that runs the next one alone, so that it can't end other passes, and only this object
 * is counted. Undefined for all others.
 */
export const inIsolation = ({ abandoned }: Lease, message: Message): Message | undefined =>
  abandoned === 0 || abandoned >= maxAbandoned || message.alone ? undefined : { ...message, alone: true }

/** The outcome for an object whose last passes all killed their process; undefined for all others. The pass after this one runs again. */
export const isolation = ({ abandoned }: Lease): Failed<KubernetesObject> | undefined => {
  if (abandoned < maxAbandoned) return undefined
  return {
    type: 'failed',
    reason: 'ReconciliationFailed',
    message: `the process ended during each of the last ${abandoned} passes, most likely out of memory or time: the next one is in an hour, or when the object or its source changes`,
    afterMs: restMs,
  }
}

/** The count for the next holder: a skipped pass has shown nothing, so the next one runs in isolation. */
export const abandonedAfter = ({ abandoned }: Lease): number => (abandoned < maxAbandoned ? 0 : maxAbandoned - 1)
