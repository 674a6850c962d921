import type { KubernetesObject } from './object.ts'
import type { Schema } from './schema.ts'

/** All that is known of a Kubernetes kind, declared once: the API server, the hub and the reconcilers read it here. */
export interface Kind<T extends KubernetesObject = KubernetesObject> {
  readonly group: string
  readonly kind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  /** At least one; exactly one has `storage`. Discovery lists them in this order, the preferred one first. */
  readonly versions: readonly KindVersion<T>[]
  /** Fields that are sealed at rest, as top-level names (`data` of a Secret). */
  readonly sealedFields?: readonly string[]
  /** False for kinds without desired state (ConfigMap, Secret, Event...): their generation stays unset. */
  readonly hasGeneration: boolean
}

export interface KindVersion<T extends KubernetesObject = KubernetesObject> {
  readonly name: string
  readonly storage: boolean
  readonly deprecated?: string
  /** Schema of the whole object without apiVersion, kind and metadata. */
  readonly schema: Schema<Omit<T, 'apiVersion' | 'kind' | 'metadata'>>
  readonly columns: readonly PrinterColumn[]
  /** Present when status is a subresource: then it is only written through it. */
  readonly status?: true
}

/** As in a CustomResourceDefinition's additionalPrinterColumns. */
export interface PrinterColumn {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly jsonPath: string
  readonly description?: string
  readonly format?: string
  readonly priority?: number
}
