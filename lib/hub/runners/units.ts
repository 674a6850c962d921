import { helmRelease } from '../../foundations/kinds/helm-release.ts'
import { kustomization } from '../../foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { resourceSet } from '../../foundations/kinds/resource-set.ts'

/** The kinds of units that runners reconcile. */
export const runnerUnitKinds = [kustomization, helmRelease, resourceSet] as const

/** What the hub's loop gives to units that it reconciles itself: the field manager, and the finalizer of Flux. */
interface Ownership {
  readonly manager: string
  readonly finalizer: string
}

const finalizer = 'finalizers.fluxcd.io'

const ownership: Readonly<Record<string, Ownership>> = {
  [kustomization.kind]: { manager: 'gotk-kustomize-controller', finalizer },
  [helmRelease.kind]: { manager: 'gotk-helm-controller', finalizer },
  [resourceSet.kind]: { manager: 'gotk-flux-operator', finalizer: 'fluxcd.controlplane.io/finalizer' },
}

export const isRunnerUnit = ({ kind }: Pick<KubernetesObject, 'kind'>): boolean => Object.hasOwn(ownership, kind)

/** Who writes for a runner: the manager of the loop. */
export const managerOf = ({ kind }: Pick<KubernetesObject, 'kind'>): string => ownership[kind]?.manager ?? 'keelson'

/** What keeps a unit until its runner has deleted what it has applied. */
export const finalizerOf = ({ kind }: Pick<KubernetesObject, 'kind'>): string => ownership[kind]?.finalizer ?? finalizer
