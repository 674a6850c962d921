/** Which units a Rollout decides for. */
import type { HelmRelease } from '../kinds/helm-release.ts'
import { type Kustomization, sourceNamespaceOf } from '../kinds/kustomization.ts'
import type { KubernetesObject } from '../kinds/object.ts'
import { type Rollout, type RolloutSource, unitKindsOf } from '../kinds/rollout.ts'

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
