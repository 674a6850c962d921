import { type KubernetesObject, type ObjectRef, refOf } from '../../foundations/kinds/object.ts'
import { type Plan, plan as planKind, unitRefOf, unitUidLabel } from '../../foundations/kinds/plan.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { type Undo, undoOf, undoTextOf } from '../../foundations/kinds/undo.ts'
import type { Session } from '../../hub/runners/session.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Mirror } from './mirror.ts'

/**
 * The runner's own hub, with statuses, Plans and what goes back by itself written through: what a pass stores is stored by the real hub first, or the write fails. So the real hub knows
 * an inventory before anything is applied.
 */
export const reportingHub = <H extends Hub>(
  local: H,
  session: Pick<Session, 'report' | 'plan'>,
  { isOwn }: Pick<Mirror, 'isOwn'>,
): H => {
  const ownObject = async (ref: ObjectRef): Promise<KubernetesObject | undefined> => {
    const found = await local.get<KubernetesObject>(ref)
    return found && isOwn(found) ? found : undefined
  }
  const patch: Hub['patch'] = async (ref, change, options) => {
    const before = await ownObject(ref)
    if (before) {
      const after = await local.patch<KubernetesObject>(ref, change, { ...options, dryRun: true })
      if (options.subresource === 'status') {
        if (!isSameJson(after.status, before.status)) await session.report(before, { status: after.status ?? {} })
      } else if (undoTextOf(after) !== undoTextOf(before)) {
        await session.report(before, { goesBack: (undoOf(after) as Required<Undo> | undefined) ?? null })
      }
    }
    return local.patch(ref, change, options)
  }
  const plannedFor = ({ metadata, spec: { unit } }: Plan) => ({
    ref: unitRefOf({ metadata, spec: { unit } } as Plan),
    uid: metadata.labels?.[unitUidLabel] ?? '',
    name: metadata.name,
  })
  const create: Hub['create'] = async (object, options) => {
    if (!isPlan(object)) return local.create(object, options)
    const { spec, changes, moreChanges } = object
    await session.plan({ ...plannedFor(object), create: { spec, changes, moreChanges } })
    const stored = await local.get<typeof object>(refOf(object))
    if (!stored) throw new Error(`the hub has not handed out plan ${object.metadata.name} yet`)
    return stored
  }
  const remove: Hub['delete'] = async (ref, options) => {
    const plan = ref.kind === planKind.kind ? await local.get<Plan>(ref) : undefined
    if (!plan) return local.delete(ref, options)
    await session.plan({ ...plannedFor(plan), remove: true })
    return plan
  }
  const update: Hub['update'] = async (object, options) => {
    if (isPlan(object)) {
      await session.plan({ ...plannedFor(object), status: object.status! })
      return object
    }
    const before = await ownObject(refOf(object))
    const isReleased =
      before?.metadata.deletionTimestamp !== undefined &&
      (before.metadata.finalizers ?? []).some(name => !object.metadata.finalizers?.includes(name))
    if (isReleased) await session.report(before, { finalized: true })
    return local.update(object, options)
  }
  return { ...local, create, patch, update, delete: remove }
}

const isPlan = <T extends KubernetesObject>(object: T): object is T & Plan => object.kind === planKind.kind
