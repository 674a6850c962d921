import { kustomization as kustomizationKind } from '../../foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'

/** The kinds of units that runners reconcile, with the field manager of the loop for each. */
const managers: Readonly<Record<string, string>> = { [kustomizationKind.kind]: 'gotk-kustomize-controller' }

export const isRunnerUnit = ({ kind }: Pick<KubernetesObject, 'kind'>): boolean => Object.hasOwn(managers, kind)

/** Who writes for a runner: the manager of the loop. */
export const managerOf = ({ kind }: Pick<KubernetesObject, 'kind'>): string => managers[kind] ?? 'keelson'
