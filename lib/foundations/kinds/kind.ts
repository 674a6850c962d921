import type { KubernetesObject } from './object.ts'
import type { Finder, Found, Unchecked } from './references.ts'
import type { FieldError } from './schema/field-error.ts'
import type { Schema } from './schema/schema.ts'

/** All that is known of a Kubernetes kind, declared once: the API server, the hub and the reconcilers read it here. */
export interface Kind<T extends KubernetesObject = KubernetesObject> {
  readonly group: string
  readonly kind: string
  /** Kind of lists of them; the kind with `List` unless it says otherwise. */
  readonly listKind?: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  /** At least one; exactly one has `storage`. Discovery lists them in this order, the preferred one first. */
  readonly versions: readonly KindVersion<T>[]
  /** What its names may be: those of DNS subdomains unless it says otherwise. */
  readonly names?: 'label' | 'pathSegment'
  /** Fields that are sealed at rest, as top-level names (`data` of a Secret). */
  readonly sealedFields?: readonly string[]
  /** Kubernetes' own kinds: read into fixed types (so that a field of a wrong type is a bad request), kept without empty fields. */
  readonly native?: true
  /** Fields that a native kind shows even when they are empty, with what they then hold. */
  readonly always?: Readonly<Record<string, unknown>>
  /** Fields of a native kind that mean something even when they hold nothing. */
  readonly keptEmpty?: readonly string[]
  /** What the schema can't say. `old` is given for a change. */
  check?(object: T, old?: T): FieldError[]
  /** What an object refers to by name, or chooses by label: changes of those concern it. Read before any check. */
  references?(object: Unchecked<T>, find: Finder): readonly Found[]
  /** Nobody writes objects of this kind. */
  readonly readOnly?: true
  /** A CustomResourceDefinition defines it, and may change it. */
  readonly isUserDefined?: true
  /** Its definition is going away: objects may go, but none may come. */
  readonly terminating?: true
  /** False for kinds without desired state (ConfigMap, Secret, Event...): their generation stays unset. */
  readonly hasGeneration: boolean
}

export interface KindVersion<T extends KubernetesObject = KubernetesObject> {
  readonly name: string
  readonly storage: boolean
  /** Versions that are only stored in are kept from clients. */
  readonly served?: false
  /** The warning that clients of this version get. */
  readonly deprecated?: string
  /** Schema of the whole object without apiVersion, kind and metadata. */
  readonly schema: Schema<Omit<T, 'apiVersion' | 'kind' | 'metadata'>>
  readonly columns: readonly PrinterColumn<T>[]
  /** What clients of this version see of an object that is stored in another: nothing of it is stored. */
  shown?(object: T): KubernetesObject
  /** Present when status is a subresource: then it is only written through it. */
  readonly status?: true
  /** Present when there is a `scale` subresource: where its numbers stand, as simple paths (`.spec.replicas`). */
  readonly scale?: ScalePaths
  /** Fields that can be selected by, beside name and namespace: simple paths (`.spec.color`). */
  readonly selectable?: readonly string[]
}

export interface ScalePaths {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

/** A column of `kubectl get`: read from the object by path, or computed for kinds whose columns Kubernetes computes. */
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
