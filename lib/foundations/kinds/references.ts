/** How a kind declares the references of its objects. */
import type { ObjectRef } from './object.ts'

/** A reference in a spec, as users wrote it: any part may be missing. */
export interface Reference {
  readonly apiVersion?: string
  readonly kind?: string
  readonly name?: string
  readonly namespace?: string
}

/** Creates refs relative to one object: without a namespace, they are in the object's own. */
export interface Finder {
  secret(reference?: Reference): Found
  configMap(reference?: Reference): Found
  serviceAccount(name?: string): Found
  /** A reference with a kind; its group is that of its apiVersion, or the given default. */
  object(reference: Reference | undefined, defaults: { readonly group: string; readonly kind?: string }): Found
  /** Objects of a kind in the same namespace, selected by label. */
  any(group: string, kind: string): Found
}
export type Found = readonly ObjectRef[]

/** An object before validation: any field may be missing. */
export type Unchecked<T> = T extends readonly (infer I)[]
  ? readonly Unchecked<I>[]
  : T extends object
    ? { readonly [K in keyof T]?: Unchecked<T[K]> }
    : T

interface Credentials {
  readonly secretRef?: Reference
  readonly certSecretRef?: Reference
  readonly proxySecretRef?: Reference
  readonly serviceAccountName?: string
}

/** For kinds with all four fields: Secrets with credentials, and the ServiceAccount for cloud credentials. */
export const credentialReferences = (spec: Credentials | undefined, find: Finder): readonly Found[] => [
  find.secret(spec?.secretRef),
  find.secret(spec?.certSecretRef),
  find.secret(spec?.proxySecretRef),
  find.serviceAccount(spec?.serviceAccountName),
]

export const sourceGroup = 'source.toolkit.fluxcd.io'
/** The group of ArtifactGenerators. */
export const sourceExtensionsGroup = 'source.extensions.fluxcd.io'
export const helmGroup = 'helm.toolkit.fluxcd.io'
export const kustomizeGroup = 'kustomize.toolkit.fluxcd.io'
export const imageGroup = 'image.toolkit.fluxcd.io'
/** Keelson's own kinds. */
export const fleetGroup = 'fleet.keelson.dev'

const imageKinds: readonly string[] = ['ImageRepository', 'ImagePolicy', 'ImageUpdateAutomation']

/** Whether a hub reconciles the kinds of a group: Flux's, flux-operator's and Keelson's own. */
export const isHubGroup = (group: string): boolean => group.includes('fluxcd') || group === fleetGroup

/** The group of a kind that a Receiver or an Alert refers to without one. */
export const groupOfFluxKind = (kind: string | undefined): string => {
  if (kind === 'Kustomization') return kustomizeGroup
  if (kind && imageKinds.includes(kind)) return imageGroup
  return kind === 'HelmRelease' ? helmGroup : sourceGroup
}
