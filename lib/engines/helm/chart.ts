import type { ValueMap } from '../template/values/value.ts'

/** A file of a chart; `name` is its path within the chart. */
export interface ChartFile {
  readonly name: string
  readonly data: Uint8Array
  /** Modification time in an archive, in seconds since the epoch. */
  readonly modifiedAt?: number
}

/** Chart.yaml as parsed; the loader refuses fields of the wrong type. */
export interface ChartMetadata {
  readonly name: string
  readonly version: string
  readonly apiVersion: string
  readonly dependencies?: readonly ChartDependency[]
  readonly [field: string]: unknown
}

export interface ChartDependency {
  readonly name: string
  /** A version or range. */
  readonly version?: string
  /** `https://...`, `oci://...`, `file://...`; '' for a chart in `charts/`. */
  readonly repository: string
  readonly alias?: string
  readonly condition?: string
  readonly tags?: readonly string[]
  readonly 'import-values'?: readonly unknown[]
}

/** A chart as Helm's loader returns it: templates apart from other files, the charts in `charts/` loaded the same way. */
export interface Chart {
  readonly metadata: ChartMetadata
  /** Absent if the chart has no values.yaml. */
  readonly values?: ChartValues
  /** values.schema.json. */
  readonly schema?: Uint8Array
  /** Modification times of Chart.yaml and values.schema.json in an archive, in seconds since the epoch. */
  readonly modifiedAt?: number | undefined
  readonly schemaModifiedAt?: number | undefined
  readonly templates: readonly ChartFile[]
  /** Everything else, `crds/` included: not templates, subcharts or Helm's own files. */
  readonly files: readonly ChartFile[]
  readonly dependencies: readonly Chart[]
}

/**
 * A chart's values.yaml: its bytes, and the parsed values. Both are shared by all renderings of the chart, and never
 * changed.
 */
export interface ChartValues {
  readonly file: Uint8Array
  readonly tables: ValueMap
}
