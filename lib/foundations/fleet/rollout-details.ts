/** What Rollouts have to do with a unit, for people: which run holds it, how far the latest run is and what that waits for, and what is planned. */
import type { Kind } from '../kinds/kind.ts'
import type { Condition, KubernetesObject, ObjectRef } from '../kinds/object.ts'
import { pinnedCondition, plannedCondition, type Rollout, rollout } from '../kinds/rollout.ts'
import { type RolloutRun, rolloutRun } from '../kinds/rollout-run.ts'
import { conditionOf } from '../rules/conditions.ts'
import { pinOf } from '../rules/pin.ts'

type Read = (ref: ObjectRef, kind: Kind) => Promise<KubernetesObject | undefined>

/** Costs nothing for a unit without a pin and without a plan; otherwise three reads. */
export const rolloutDetails = async (
  unit: KubernetesObject,
  read: Read,
): Promise<readonly (readonly [name: string, text: string])[]> => {
  const { conditions } = (unit.status ?? {}) as { readonly conditions?: readonly Condition[] }
  const held = conditionOf(conditions, pinnedCondition)
  const planned = conditionOf(conditions, plannedCondition)
  const latest = await latestRunOf(unit, read)
  return [
    ...(held?.status === 'True' ? [['held', held.message] as const] : []),
    ...(latest ? [['rollout', describeProgress(latest)] as const] : []),
    ...(planned ? [[planned.status === 'True' ? 'planned' : 'not planned', planned.message] as const] : []),
  ]
}

/** The latest run of the Rollout whose run a unit is pinned to. */
const latestRunOf = async (unit: KubernetesObject, read: Read): Promise<RolloutRun | undefined> => {
  const pin = pinOf(unit)
  if (!pin) return undefined
  const readAs = async <T>({ group, kind }: Pick<ObjectRef, 'group' | 'kind'>, name: string, of: unknown) =>
    (await read({ group, kind, namespace: pin.namespace, name }, of as Kind)) as T | undefined
  const pinned = await readAs<RolloutRun>(rolloutRun, pin.run, rolloutRun)
  const owner = pinned && (await readAs<Rollout>(rollout, pinned.spec.rollout, rollout))
  const current = owner?.status?.currentRun
  return current === undefined || current === pin.run
    ? pinned
    : await readAs<RolloutRun>(rolloutRun, current, rolloutRun)
}

/** `RolloutRun apps/web-8 is Running, at stage europe, and waits for gate soak: opens at ...`. */
const describeProgress = ({ metadata, spec, status = {} }: RolloutRun): string => {
  const { phase = 'Running', stage = 0, waitsFor = [] } = status
  const name = spec.stages[stage]?.name
  const isUnderWay = phase === 'Running' || phase === 'Paused' || phase === 'RollingBack'
  const at = isUnderWay && name !== undefined ? `, at stage ${name}` : ''
  const waiting = waitsFor.length > 0 ? `, and waits for ${waitsFor.join('; ')}` : ''
  return `RolloutRun ${metadata.namespace}/${metadata.name} is ${phase}${at}${waiting}`
}
