/** Objects as a table (meta.k8s.io/v1 Table): the output of `kubectl get`. */
import { ageOf } from './human-duration.ts'
import type { KindVersion, PathColumn, PrinterColumn } from './kind.ts'
import type { KubernetesObject, ObjectMeta } from './object.ts'
import type { JsonPath } from './schema/json-path.ts'
import { parseJsonPath } from './schema/json-path.ts'

export interface Table {
  readonly kind: 'Table'
  readonly apiVersion: 'meta.k8s.io/v1'
  readonly metadata: Readonly<Record<string, unknown>>
  /** null if they were sent before. */
  readonly columnDefinitions: readonly TableColumn[] | null
  readonly rows: readonly TableRow[]
}

interface TableColumn {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly description: string
  readonly priority: number
}

interface TableRow {
  readonly cells: readonly unknown[]
  readonly object?: unknown
}

export interface TableOptions {
  /** Milliseconds since the epoch, for ages. */
  readonly now: number
  /** How much of each object to include in its row. */
  readonly includeObject?: 'Metadata' | 'Object' | 'None'
  /** Metadata of the list: resourceVersion, continue, remainingItemCount. */
  readonly metadata?: Readonly<Record<string, unknown>>
  /** False to omit the column definitions, as for all but the first event of a watch. */
  readonly headers?: boolean
}

/**
 * A table of objects of one kind and version, in their order: a row each, with a cell per printer column of the
 * version.
 */
export const tableOf = (version: KindVersion, objects: readonly KubernetesObject[], options: TableOptions): Table => ({
  ...tableHead(version, options),
  rows: objects.map(rowOf(version, options)),
})

/** A Table without its rows. */
export const tableHead = (version: KindVersion, { metadata, headers }: Partial<TableOptions>): Omit<Table, 'rows'> => ({
  kind: 'Table',
  apiVersion: 'meta.k8s.io/v1',
  metadata: metadata ?? {},
  columnDefinitions: headers === false ? null : columnsOf(version).map(definitionOf),
})

/** Converts objects to rows. */
export const rowOf = (version: KindVersion, { now, includeObject }: TableOptions) => {
  const columns = columnsOf(version)
  return (object: KubernetesObject): TableRow => ({
    cells: columns.map(column => cellOf(column, object, now)),
    ...includedObject(object, includeObject ?? 'Metadata'),
  })
}

const nameColumn: PathColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  jsonPath: '.metadata.name',
  description: 'Name of the object.',
}

const age: PathColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Time since the object was created.',
}

/** The name comes first unless the kind has it elsewhere; a kind without columns has its age. */
const columnsOf = ({ columns }: KindVersion): readonly PrinterColumn[] => {
  if (columns.some(({ format }) => format === 'name')) return columns
  return [nameColumn, ...(columns.length > 0 ? columns : [age])]
}

const definitionOf = (column: PrinterColumn): TableColumn => ({
  name: column.name,
  type: column.type,
  format: column.format ?? '',
  description: column.description ?? ('jsonPath' in column ? `The value at ${column.jsonPath}.` : `${column.name}.`),
  priority: column.priority ?? 0,
})

const cellOf = (column: PrinterColumn, object: KubernetesObject, now: number): unknown => {
  if (!('jsonPath' in column)) return column.cell(object, now)
  const [value] = pathOf(column)(object)
  if (value === undefined || value === null) return null
  switch (column.type) {
    case 'string':
      return typeof value === 'object' ? JSON.stringify(value) : String(value)
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null
    case 'number':
      return typeof value === 'number' ? value : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'date':
      return typeof value === 'string' ? ageOf(value, now) : null
  }
}

/** Parsed paths, for the lifetime of their column. */
const paths = new WeakMap<PathColumn, JsonPath>()

const pathOf = (column: PathColumn): JsonPath => {
  let path = paths.get(column)
  if (!path) {
    path = parseJsonPath(column.jsonPath)
    paths.set(column, path)
  }
  return path
}

const includedObject = (object: KubernetesObject, include: NonNullable<TableOptions['includeObject']>) => {
  if (include === 'None') return {}
  return { object: include === 'Object' ? object : partialObjectMetadata(object) }
}

export interface PartialObjectMetadata {
  readonly kind: 'PartialObjectMetadata'
  readonly apiVersion: 'meta.k8s.io/v1'
  readonly metadata: ObjectMeta
}

/** What a client gets that requests metadata only (`as=PartialObjectMetadata`), as informers of large kinds do. */
export const partialObjectMetadata = ({ metadata }: KubernetesObject): PartialObjectMetadata => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata,
})
