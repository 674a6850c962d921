/** How a kind declares what its objects refer to. */
import type { ObjectRef } from './object.ts'

/** A reference as it stands in a spec; all of it comes from users, so any part may be missing. */
export interface Reference {
  readonly apiVersion?: string
  readonly kind?: string
  readonly name?: string
  readonly namespace?: string
}

/** Makes refs seen from one object: references without a namespace mean the object's own. */
export interface Finder {
  secret(reference?: Reference): Found
  configMap(reference?: Reference): Found
  serviceAccount(name?: string): Found
  /** A reference that names its kind; its group is that of its apiVersion, else the one given. */
  object(reference: Reference | undefined, defaults: { readonly group: string; readonly kind?: string }): Found
  /** Objects of a kind that are chosen by label, in the same namespace. */
  any(group: string, kind: string): Found
}
export type Found = readonly ObjectRef[]

/** An object as it is before its schema was checked: any field may be missing. */
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

/** Of a kind that has all four: the Secrets with credentials, and the ServiceAccount of cloud credentials. */
export const credentialReferences = (spec: Credentials | undefined, find: Finder): readonly Found[] => [
  find.secret(spec?.secretRef),
  find.secret(spec?.certSecretRef),
  find.secret(spec?.proxySecretRef),
  find.serviceAccount(spec?.serviceAccountName),
]

export const sourceGroup = 'source.toolkit.fluxcd.io'
export const helmGroup = 'helm.toolkit.fluxcd.io'
export const kustomizeGroup = 'kustomize.toolkit.fluxcd.io'

/** The group of a kind that a Receiver or an Alert names without one. */
export const groupOfFluxKind = (kind: string | undefined): string => {
  if (kind === 'Kustomization') return kustomizeGroup
  return kind === 'HelmRelease' ? helmGroup : sourceGroup
}
