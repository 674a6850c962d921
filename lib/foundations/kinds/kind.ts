import type { KubernetesObject } from './object.ts'
import type { Finder, Found, Unchecked } from './references.ts'
import type { FieldError } from './schema/field-error.ts'
import type { Schema } from './schema/schema.ts'

/** The declaration of a Kubernetes kind, which the API server, the hub and the reconcilers share. */
export interface Kind<T extends KubernetesObject = KubernetesObject> {
  readonly group: string
  readonly kind: string
  /** Kind of its lists; the kind with `List` by default. */
  readonly listKind?: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  /** At least one; exactly one has `storage`. Discovery lists them in this order, the preferred one first. */
  readonly versions: readonly KindVersion<T>[]
  /** The format of its names; DNS subdomains by default. */
  readonly names?: 'label' | 'pathSegment'
  /** Top-level fields that are encrypted at rest (`data` of a Secret). */
  readonly sealedFields?: readonly string[]
  /** Keys of labels that the store may index although the object is encrypted: their values are no secret. */
  readonly openLabels?: readonly string[]
  /** Kubernetes' own kinds: decoded into fixed types (so a field of the wrong type is a bad request), and stored without empty fields. */
  readonly native?: true
  /** Fields that a native kind always has, with their values when empty. */
  readonly always?: Readonly<Record<string, unknown>>
  /** Fields of a native kind that are significant even when empty. */
  readonly keptEmpty?: readonly string[]
  /** Validation beyond the schema, of objects that are valid by it. `old` is set for an update. */
  check?(object: T, old?: T): FieldError[]
  /** The objects that an object refers to by name or label: their changes affect it. Called before validation. */
  references?(object: Unchecked<T>, find: Finder): readonly Found[]
  /** Objects of this kind can't be written. */
  readonly readOnly?: true
  /** They can be read and listed, not watched. */
  readonly isUnwatched?: true
  /** Defined by a CustomResourceDefinition, which may change it. */
  readonly isUserDefined?: true
  /** Its definition is being deleted: objects can be deleted, but not created. */
  readonly terminating?: true
  /** False for kinds without desired state (ConfigMap, Secret, Event...): their generation stays unset. */
  readonly hasGeneration: boolean
}

export interface KindVersion<T extends KubernetesObject = KubernetesObject> {
  readonly name: string
  readonly storage: boolean
  /** False for versions that are only used in storage. */
  readonly served?: false
  /** The warning for clients that use this version. */
  readonly deprecated?: string
  /** Schema of the whole object without apiVersion, kind and metadata. */
  readonly schema: Schema<Omit<T, 'apiVersion' | 'kind' | 'metadata'>>
  readonly columns: readonly PrinterColumn<T>[]
  /** Converts a stored object of another version for clients of this one; nothing of the result is stored. */
  convert?(object: T): KubernetesObject
  /** Present if status is a subresource: then it is only written through that. */
  readonly status?: true
  /** Present if there is a `scale` subresource: where its numbers are, as simple paths (`.spec.replicas`). */
  readonly scale?: ScalePaths
  /** Fields that field selectors support besides name and namespace: simple paths (`.spec.color`). */
  readonly selectable?: readonly string[]
}

export interface ScalePaths {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

/** A column of `kubectl get`: a path in the object, or computed for kinds whose columns Kubernetes computes. */
export type PrinterColumn<T extends KubernetesObject = KubernetesObject> = PathColumn | ComputedColumn<T>

interface Column {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly description?: string
  readonly format?: string
  /** Above 0: only in wide output. */
  readonly priority?: number
}

/** As in a CustomResourceDefinition's additionalPrinterColumns. */
export interface PathColumn extends Column {
  readonly jsonPath: string
}

export interface ComputedColumn<T extends KubernetesObject = KubernetesObject> extends Column {
  /** `now` in milliseconds since the epoch. */
  cell(object: T, now: number): string | number
}
