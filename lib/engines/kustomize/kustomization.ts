import type { JsonObject } from '../yaml/json-value.ts'
import type { Gvk } from './resource-id.ts'

/** A kustomization.yaml with defaults applied; absent lists are empty. */
export interface Kustomization {
  readonly apiVersion: string
  readonly kind: string
  readonly openapi?: Readonly<Record<string, string>>
  readonly namePrefix: string
  readonly nameSuffix: string
  readonly namespace: string
  readonly commonLabels: StringMap
  readonly labels: readonly LabelEntry[]
  readonly commonAnnotations: StringMap
  readonly patchesStrategicMerge: readonly string[]
  readonly patchesJson6902: readonly PatchEntry[]
  readonly patches: readonly PatchEntry[]
  readonly images: readonly ImageEntry[]
  readonly replacements: readonly ReplacementEntry[]
  readonly replicas: readonly ReplicaEntry[]
  readonly vars: readonly VarEntry[]
  readonly sortOptions?: SortOptions
  readonly resources: readonly string[]
  readonly components: readonly string[]
  readonly crds: readonly string[]
  readonly configMapGenerator: readonly GeneratorEntry[]
  readonly secretGenerator: readonly GeneratorEntry[]
  readonly helmGlobals?: JsonObject
  readonly helmCharts: readonly (JsonObject & { readonly namespace?: string })[]
  readonly generatorOptions?: GeneratorOptions
  readonly configurations: readonly string[]
  readonly generators: readonly string[]
  readonly transformers: readonly string[]
  readonly validators: readonly string[]
  readonly buildMetadata: readonly string[]
}

export type StringMap = Readonly<Record<string, string>>

export interface FieldSpecEntry extends Partial<Gvk> {
  readonly path?: string
  readonly create?: boolean
}

export interface LabelEntry {
  readonly pairs?: StringMap
  readonly includeSelectors?: boolean
  readonly includeTemplates?: boolean
  readonly includeVolumeClaimTemplates?: boolean
  readonly fields?: readonly FieldSpecEntry[]
}

/** Selects resources; the parts are regular expressions. */
export interface SelectorEntry extends Partial<Gvk> {
  readonly name?: string
  readonly namespace?: string
  readonly labelSelector?: string
  readonly annotationSelector?: string
}

export interface PatchEntry {
  readonly path?: string
  readonly patch?: string
  readonly target?: SelectorEntry
  readonly options?: { readonly allowNameChange?: boolean; readonly allowKindChange?: boolean }
}

export interface ImageEntry {
  readonly name?: string
  readonly newName?: string
  readonly tagSuffix?: string
  readonly newTag?: string
  readonly digest?: string
}

export interface FieldOptions {
  readonly delimiter?: string
  readonly index?: number
  readonly encoding?: string
  readonly create?: boolean
}

export interface ReplacementEntry {
  readonly path?: string
  readonly source?: Partial<Gvk> & {
    readonly name?: string
    readonly namespace?: string
    readonly fieldPath?: string
    readonly options?: FieldOptions
  }
  readonly sourceValue?: string
  readonly targets?: readonly ReplacementTarget[]
}

export interface ReplacementTarget {
  readonly select?: SelectorEntry
  readonly reject?: readonly SelectorEntry[]
  readonly fieldPaths?: readonly string[]
  readonly options?: FieldOptions
}

export interface ReplicaEntry {
  readonly name?: string
  readonly count?: number | bigint
}

export interface VarEntry {
  readonly name?: string
  readonly objref?: Partial<Gvk> & { readonly apiVersion?: string; readonly name?: string; readonly namespace?: string }
  readonly fieldref?: { readonly fieldPath?: string }
}

export interface SortOptions {
  readonly order?: string
  readonly legacySortOptions?: { readonly orderFirst?: readonly string[]; readonly orderLast?: readonly string[] }
}

export interface GeneratorOptions {
  readonly labels?: StringMap
  readonly annotations?: StringMap
  readonly disableNameSuffixHash?: boolean
  readonly immutable?: boolean
}

export interface GeneratorEntry {
  readonly name?: string
  readonly namespace?: string
  readonly behavior?: string
  readonly literals?: readonly string[]
  readonly files?: readonly string[]
  readonly envs?: readonly string[]
  readonly env?: string
  /** Only for Secrets. */
  readonly type?: string
  readonly options?: GeneratorOptions
}
