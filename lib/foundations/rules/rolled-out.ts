/** Which units a Rollout decides for. */
import type { HelmRelease } from '../kinds/helm-release.ts'
import { type Kustomization, sourceNamespaceOf } from '../kinds/kustomization.ts'
import type { Condition, KubernetesObject } from '../kinds/object.ts'
import { pinnedCondition, type Rollout, type RolloutSource, unitKindsOf } from '../kinds/rollout.ts'
import { isConditionTrue } from './conditions.ts'
import { pinOf } from './pin.ts'

export interface SourceName {
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

/** The source from which a unit takes its artifact; undefined for kinds that take none, and for releases with a chart of their own. */
export const sourceOfUnit = (unit: KubernetesObject): SourceName | undefined => {
  if (unit.kind === 'Kustomization') {
    const kustomization = unit as Kustomization
    const { kind, name } = kustomization.spec.sourceRef
    return { kind, name, namespace: sourceNamespaceOf(kustomization) }
  }
  const { chartRef } = (unit as HelmRelease).spec
  if (unit.kind !== 'HelmRelease' || !chartRef) return undefined
  return { kind: chartRef.kind, name: chartRef.name, namespace: chartRef.namespace || (unit.metadata.namespace ?? '') }
}

export const isSameSource = (one: SourceName, other: SourceName): boolean =>
  one.kind === other.kind && one.namespace === other.namespace && one.name === other.name

/** Whether a change of a source is no news for a unit: a pin says which artifact it takes from that, and the unit has seen the pin. */
export const isHeldFrom = (unit: KubernetesObject, changed: SourceName): boolean => {
  const { conditions } = (unit.status ?? {}) as { readonly conditions?: readonly Condition[] }
  if (pinOf(unit) === undefined || !isConditionTrue(conditions, pinnedCondition)) return false
  const source = sourceOfUnit(unit)
  return source !== undefined && isSameSource(source, changed)
}

/** A source of a Rollout, with its namespace. */
export const placedSource = ({ kind, name, namespace }: RolloutSource, rollout: KubernetesObject): SourceName => ({
  kind,
  name,
  namespace: namespace || (rollout.metadata.namespace ?? ''),
})

/** Whether a Rollout decides which revision a unit takes; `matches` evaluates its selector. */
export const isRolledOut = (
  unit: KubernetesObject,
  rollout: Rollout,
  matches: (labels: Readonly<Record<string, string>>) => boolean,
): boolean => {
  const source = sourceOfUnit(unit)
  return (
    source !== undefined &&
    unitKindsOf(rollout).some(kind => kind === unit.kind) &&
    rollout.spec.sources.some(one => isSameSource(placedSource(one, rollout), source)) &&
    matches(unit.metadata.labels ?? {})
  )
}
