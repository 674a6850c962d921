import { type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { ClusterError } from '../client/client.ts'
import type { Change, ChangeAction } from './change-set.ts'
import type { Health } from './health.ts'
import { type ApplyVerdict, type JudgeContext, judge } from './judge.ts'

export interface WriteContext extends JudgeContext {
  readonly clock: Clock
  /** Changes have the objects before and after. */
  readonly withStates: boolean
}

export type WriteResult =
  /** `live` is the current object, if known. */
  | ({ readonly action: ChangeAction; readonly live?: KubernetesObject } & Pick<Change, 'recreated' | 'states'>)
  /** An object to be recreated still exists: something holds it (a finalizer). */
  | { readonly action: 'terminating'; readonly waitingFor: Health }

/** How long to wait for the deletion of an object that is recreated; then a later run continues. */
const MAX_POLL_MS = 5_000
const PAUSE_MS = 100

/** Carries out the verdict on an object. A concurrent write is a conflict: then the object is judged again, once. */
export const write = async (
  desired: KubernetesObject,
  verdict: ApplyVerdict,
  context: WriteContext,
): Promise<WriteResult> => {
  try {
    return await carryOut(desired, verdict, context)
  } catch (error) {
    if (!(error instanceof ClusterError) || error.code !== 'conflict') throw error
    const { cluster, signal } = context
    const live = await cluster.get(desired.apiVersion, refOf(desired), { signal })
    return carryOut(desired, await judge(desired, live, context), context)
  }
}

const carryOut = async (
  desired: KubernetesObject,
  verdict: ApplyVerdict,
  context: WriteContext,
): Promise<WriteResult> => {
  const { cluster, fieldManager, signal } = context
  const apply = (object = desired) => cluster.apply(object, { fieldManager, force: true, signal })
  const changed = async (before: KubernetesObject, applying: Promise<KubernetesObject>) => {
    const live = await applying
    return { live, ...(context.withStates && { states: { before, after: live } }) }
  }
  switch (verdict.action) {
    case 'skipped':
      return verdict
    case 'unchanged':
      return verdict
    case 'created':
      return { action: 'created', live: await apply() }
    case 'configured':
      if (verdict.takeover)
        await cluster.patch(desired.apiVersion, refOf(desired), verdict.takeover, { fieldManager, signal })
      return { action: 'configured', ...(await changed(verdict.live, apply(verdict.payload))) }
    case 'recreated': {
      if (!(await remove(verdict.live, context))) return { action: 'terminating', waitingFor: terminating(desired) }
      // As Flux reports it: in the change set, the object is a new one.
      return { action: 'created', recreated: true, ...(await changed(verdict.live, apply())) }
    }
  }
}

/** Deletes an object and waits a little; false if it still exists. */
const remove = async (live: KubernetesObject, { cluster, clock, signal }: WriteContext): Promise<boolean> => {
  const { apiVersion } = live
  const ref = refOf(live)
  await cluster.delete(apiVersion, ref, { propagation: 'Background', uid: live.metadata.uid, signal })
  for (const deadline = clock.monotonic() + MAX_POLL_MS; ; ) {
    const found = await cluster.get(apiVersion, ref, { metadataOnly: true, signal })
    if (!found || found.metadata.uid !== live.metadata.uid) return true
    if (clock.monotonic() >= deadline) return false
    await clock.sleep(PAUSE_MS, signal)
  }
}

const terminating = (desired: KubernetesObject): Health => ({
  ref: refOf(desired),
  status: 'Terminating',
  message: 'waiting for the object to be gone, to create it again',
})
