import { isObject, type JsonObject } from '../../foundations/kinds/json-object.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { refOf } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { ApiErrorReason, Hub } from '../../hub/store/hub.ts'
import { ApiError } from '../../hub/store/hub.ts'
import { requiresReconciliation } from '../../hub/store/record-index.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Lease } from '../../platform/ports/leases.ts'
import { LeaseLost } from '../../platform/ports/leases.ts'
import { type Redact, redactedStatus } from './redaction.ts'
import type { ReconciledStatus, Transition } from './transitions.ts'

/** The object was deleted during a pass, so its status can't be written. */
export class ObjectGone extends Error {}

/** One object's status during a pass. */
export interface StatusWriter {
  /** With all changes so far, stored or not. */
  readonly status: ReconciledStatus
  /** Changes the status without storing it. */
  change(step: Transition): void
  /** Whether a step would change what is stored. */
  wouldChange(step: Transition): boolean
  /** Drops changes that are not stored yet. */
  discard(): void
  /** Undoes all changes, stored or not. */
  restore(): void
  /** Stores all changes since the last store; writes nothing if there are none. */
  store(): Promise<void>
  /** Stores all changes after `ms` milliseconds, or as often later as `mayShowProgress` refuses, unless they are stored earlier. */
  storeSoon(ms: number): void
  /** Cancels `storeSoon`. */
  stop(): void
  /**
   * Stores the end of the pass with the time of the next one (null = none, undefined = as it is stored). If the object has changed since the pass
   * started, the time is now instead, and the result is true. If another writer has set an earlier time, that stays.
   */
  storeWithDue(due: number | null | undefined): Promise<boolean>
}

interface StatusWriterPorts {
  readonly hub: Pick<Hub, 'get' | 'patch'>
  readonly clock: Clock
  readonly mayShowProgress: () => boolean
}

/** Writes under the pass's lease: once the lease is lost, writes fail. Messages of failures are written as `redact` returns them. */
export const createStatusWriter = (
  { hub, clock, mayShowProgress }: StatusWriterPorts,
  object: KubernetesObject,
  { lease, dueSeen }: { readonly lease: Lease; readonly dueSeen: number },
  { manager, observesGeneration }: { readonly manager: string; readonly observesGeneration?: false },
  redact: Redact,
): StatusWriter => {
  const ref = refOf(object)
  const { generation } = object.metadata
  let latest = object
  let stored: ReconciledStatus = statusOf(object)
  let status: ReconciledStatus = observesGeneration === false ? stored : { observedGeneration: -1, ...stored }

  const initial = status

  let scheduled: AbortController | undefined
  /** Writes are serialized: each patches what differs from the one before. */
  let last: Promise<unknown> = Promise.resolve()
  const serialized = <R>(work: () => Promise<R>): Promise<R> => {
    stop()
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }
  const stop = (): void => {
    scheduled?.abort('overtaken')
    scheduled = undefined
  }
  const store = (): Promise<void> =>
    serialized(async () => {
      if (!isSameJson(stored, status)) await write({})
    })

  const write = async (options: { readonly due?: number | null; readonly resourceVersion?: string }): Promise<void> => {
    const { due, resourceVersion } = options
    const changes = mergePatch(stored, status)
    const patch = {
      ...(resourceVersion !== undefined && { metadata: { resourceVersion } }),
      ...(changes !== undefined && { status: changes }),
    }
    const written = status
    latest = await hub
      .patch<KubernetesObject>(
        ref,
        { type: 'merge', patch },
        {
          fieldManager: manager,
          subresource: 'status',
          fence: lease,
          ...(due !== undefined && { due, dueSeen }),
        },
      )
      .catch(error => {
        if (isRefusal(error, 'NotFound')) throw new ObjectGone(error.message)
        if (isRefusal(error, 'Conflict') && resourceVersion === undefined) throw new LeaseLost(lease)
        throw error
      })
    stored = written
  }

  return {
    get status() {
      return status
    },
    change(step) {
      const after = redactedStatus(status, step(status, { now: clock.now(), generation }), redact)
      status = observesGeneration === false ? withoutGeneration(after) : after
    },
    wouldChange: step => !isSameJson(step(stored, { now: clock.now(), generation }), stored),
    discard() {
      stop()
      status = stored
    },
    restore() {
      stop()
      status = initial
    },
    store,
    storeSoon(ms) {
      if (scheduled) return
      scheduled = new AbortController()
      const { signal } = scheduled
      const storeLater = async () => {
        do await clock.sleep(ms, signal)
        while (!mayShowProgress())
        await store()
      }
      // An error here recurs at the next write, which is awaited.
      storeLater().catch(() => {})
    },
    stop,
    storeWithDue: due =>
      serialized(async () => {
        for (;;) {
          const overtaken = requiresReconciliation(latest, object)
          try {
            await write({ due: overtaken ? clock.now() : due, resourceVersion: latest.metadata.resourceVersion })
            return overtaken
          } catch (error) {
            if (!isRefusal(error, 'Conflict')) throw error
            const current = await hub.get<KubernetesObject>(ref)
            if (!current) throw new ObjectGone(error.message)
            if (current.metadata.resourceVersion === latest.metadata.resourceVersion) throw new LeaseLost(lease)
            latest = current
          }
        }
      }),
  }
}

/** Gives an object without a reconciler an empty status: kstatus considers one without observedGeneration current. */
export const clearStatus = async (
  hub: Pick<Hub, 'patch'>,
  object: KubernetesObject,
  lease: Lease,
  manager: string,
): Promise<void> => {
  const fields = Object.keys(object.status ?? {})
  if (fields.length === 0) return
  const patch = { status: Object.fromEntries(fields.map(field => [field, null])) }
  await hub.patch(
    refOf(object),
    { type: 'merge', patch },
    { fieldManager: manager, subresource: 'status', fence: lease },
  )
}

const isRefusal = (error: unknown, reason: ApiErrorReason): error is ApiError =>
  error instanceof ApiError && error.reason === reason

const statusOf = (object: KubernetesObject): ReconciledStatus => (object.status ?? {}) as ReconciledStatus

/** For kinds whose status has no observedGeneration, as in Flux. */
export const withoutGeneration = ({ observedGeneration: _, ...status }: ReconciledStatus): ReconciledStatus => status

/** The JSON merge patch (RFC 7396) from one value to another; undefined when they are equal. */
const mergePatch = (from: JsonObject, to: JsonObject): JsonObject | undefined => {
  const patch: Record<string, unknown> = {}
  for (const key of Object.keys(from)) if (to[key] === undefined && from[key] !== undefined) patch[key] = null
  for (const [key, after] of Object.entries(to)) {
    const before = from[key]
    if (after === undefined || isSameJson(before, after)) continue
    patch[key] = isObject(before) && isObject(after) ? mergePatch(before, after) : after
  }
  return Object.keys(patch).length > 0 ? patch : undefined
}
