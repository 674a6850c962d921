import { type KubernetesObject, type ObjectRef, refOf } from '../../foundations/kinds/object.ts'
import { firstPhaseOf, type Plan, plan as planKind, unitUidLabel } from '../../foundations/kinds/plan.ts'
import type { TargetReference } from '../../foundations/kinds/target-reference.ts'
import { placeOfName, runName } from '../runs/run-names.ts'
import { badRequest } from '../store/api-errors.ts'
import { ApiError, type Hub } from '../store/hub.ts'
import type { PlanRequest } from './protocol.ts'

const options = { fieldManager: 'keelson' }

/** Phases in which a plan has ended. */
const ended: ReadonlySet<string | undefined> = new Set(['Applied', 'Stale', 'Expired'])

/**
 * Creates a plan of a unit, changes what has become of it, or removes one that has ended. Which unit it is about, and on which cluster, is what the
 * hub knows. Fails with BadRequest or NotFound for anything that is no plan of this unit, and with Invalid if its content is none.
 */
export const acceptPlan = async (
  unit: KubernetesObject,
  cluster: TargetReference,
  { name, create, status, remove }: PlanRequest,
  hub: Pick<Hub, 'get' | 'create' | 'update' | 'delete'>,
): Promise<void> => {
  const { kind, namespace, name: unitName } = refOf(unit)
  const { uid = '' } = unit.metadata
  const ref: ObjectRef = { group: planKind.group, kind: planKind.kind, namespace, name }
  const found = await hub.get<Plan>(ref)
  const isOwn = found?.metadata.labels?.[unitUidLabel] === uid
  if (create) {
    if (found && isOwn) return // the runner has not seen the response
    const at = placeOfName(namespace, name)?.startedAt
    if (at === undefined || runName({ kind, name: unitName }, at) !== name)
      throw badRequest('the name is none of a plan of this unit')
    await hub.create(planNamed(name, unit, cluster, create), options)
    return
  }
  if (!found || !isOwn) throw new ApiError(404, 'NotFound', 'there is no such plan of this unit')
  if (remove) {
    if (!ended.has(found.status?.phase)) throw badRequest('a plan that has not ended is not removed')
    await hub.delete(ref, {})
  } else if (status) await hub.update({ ...found, status }, options)
}

/** A plan of a unit of a runner, about the unit and the cluster that the hub knows. */
export const planNamed = (
  name: string,
  unit: KubernetesObject,
  cluster: TargetReference,
  { spec, changes, moreChanges }: NonNullable<PlanRequest['create']>,
): Plan => {
  const { apiVersion, metadata } = unit
  const { kind, namespace, name: unitName } = refOf(unit)
  const { uid = '' } = metadata
  return {
    apiVersion: `${planKind.group}/${planKind.versions[0]!.name}`,
    kind: planKind.kind,
    metadata: {
      ...{ name, namespace, labels: { [unitUidLabel]: uid } },
      ownerReferences: [{ apiVersion, kind, name: unitName, uid }],
    },
    spec: { ...spec, unit: { apiVersion, kind, name: unitName }, cluster: { ...cluster } },
    status: { phase: firstPhaseOf(spec) },
    ...(changes && { changes }),
    ...(moreChanges !== undefined && { moreChanges }),
  } as Plan
}
