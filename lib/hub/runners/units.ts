import { helmRelease } from '../../foundations/kinds/helm-release.ts'
import { kustomization } from '../../foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'

/** The kinds of units that runners reconcile. */
export const runnerUnitKinds = [kustomization, helmRelease] as const

/** The field managers of the loop. */
const managers: Readonly<Record<string, string>> = {
  [kustomization.kind]: 'gotk-kustomize-controller',
  [helmRelease.kind]: 'gotk-helm-controller',
}

export const isRunnerUnit = ({ kind }: Pick<KubernetesObject, 'kind'>): boolean => Object.hasOwn(managers, kind)

/** Who writes for a runner: the manager of the loop. */
export const managerOf = ({ kind }: Pick<KubernetesObject, 'kind'>): string => managers[kind] ?? 'keelson'
