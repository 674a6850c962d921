import type { KubernetesObject } from '../../foundations/kinds/object.ts'

/** A CustomResourceDefinition, as far as an API server accepts nothing without it. */
export interface Definition extends KubernetesObject {
  readonly spec: {
    readonly group: string
    readonly names: { readonly kind: string; readonly plural: string }
    readonly scope: string
    readonly versions?: readonly DefinedVersion[]
  }
}

interface DefinedVersion {
  readonly name: string
  readonly served: boolean
  readonly schema?: unknown
}

/** For definitions that an API server has accepted: others may lack these fields. */
export const isDefinition = (object: KubernetesObject): object is Definition =>
  object.kind === 'CustomResourceDefinition' && object.apiVersion.startsWith('apiextensions.k8s.io/')

/** The versions of a definition, served or not, in its order. */
export const versionsOf = ({ spec }: Definition): readonly DefinedVersion[] => spec.versions ?? []
