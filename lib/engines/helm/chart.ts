/** A file of a chart, by its path in the chart. */
export interface ChartFile {
  readonly name: string
  readonly data: Uint8Array
}

/** Chart.yaml as it was read: fields of the wrong type are refused by whoever loads the chart. */
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

/** A chart as Helm's loader holds it: its files sorted into templates and others, the charts below `charts/` loaded likewise. */
export interface Chart {
  readonly metadata: ChartMetadata
  /** values.yaml, as it is written; absent when the chart has none. */
  readonly values?: Uint8Array
  /** values.schema.json. */
  readonly schema?: Uint8Array
  readonly templates: readonly ChartFile[]
  /** All that is neither template, chart, nor one of Helm's own files; `crds/` among them. */
  readonly files: readonly ChartFile[]
  readonly dependencies: readonly Chart[]
}
