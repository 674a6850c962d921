import { type KubernetesObject, type ObjectRef, refOf } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { Session } from '../../hub/runners/session.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Mirror } from './mirror.ts'

/**
 * The runner's own hub, with statuses written through: what a pass stores is stored by the real hub first, or the write fails. So the real hub knows
 * an inventory before anything is applied.
 */
export const reportingHub = <H extends Hub>(
  local: H,
  session: Pick<Session, 'report'>,
  { isOwn }: Pick<Mirror, 'isOwn'>,
): H => {
  const ownObject = async (ref: ObjectRef): Promise<KubernetesObject | undefined> => {
    const found = await local.get<KubernetesObject>(ref)
    return found && isOwn(found) ? found : undefined
  }
  const patch: Hub['patch'] = async (ref, change, options) => {
    const before = options.subresource === 'status' ? await ownObject(ref) : undefined
    if (before) {
      const after = await local.patch<KubernetesObject>(ref, change, { ...options, dryRun: true })
      if (!isSameJson(after.status, before.status)) await session.report(before, { status: after.status ?? {} })
    }
    return local.patch(ref, change, options)
  }
  const update: Hub['update'] = async (object, options) => {
    const before = await ownObject(refOf(object))
    const isReleased =
      before?.metadata.deletionTimestamp !== undefined &&
      (before.metadata.finalizers ?? []).some(name => !object.metadata.finalizers?.includes(name))
    if (isReleased) await session.report(before, { finalized: true })
    return local.update(object, options)
  }
  return { ...local, patch, update }
}
