import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { emitJson } from '../../engines/yaml/emit-json.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'
import { type TarEntry, writeTar } from '../artifact/tar-writer.ts'
import type { Chart } from './chart.ts'
import { metadataJson } from './chart-metadata.ts'
import { InvalidChart } from './invalid-chart.ts'

export interface PackagedChart {
  /** A .tgz: equal charts give equal bytes. */
  readonly content: Buffer
  /** `sha256:<hex>` of the content. */
  readonly digest: string
}

/** Packages a chart like `helm package`, except that file times are fixed. */
export const packageChart = async (chart: Chart): Promise<PackagedChart> => {
  const tar = Buffer.concat([...writeTar(entriesOf(chart, ''))])
  const content = await promisify(gzip)(tar)
  return { content, digest: sha256Digest(content) }
}

function* entriesOf(chart: Chart, prefix: string): Generator<TarEntry> {
  const { metadata, lock, values, schema, templates, files, dependencies } = chart
  const base = `${prefix}${metadata.name}/`
  const isOld = metadata.apiVersion === 'v1'
  const file = (name: string, content: Uint8Array): TarEntry => ({ name: base + name, mode: 0o644, content })
  // Older charts list dependencies in requirements.yaml.
  const { dependencies: _, ...withoutDependencies } = metadata
  yield file('Chart.yaml', Buffer.from(emitJson(metadataJson(isOld ? withoutDependencies : metadata))))
  if (lock && !isOld) yield file('Chart.lock', Buffer.from(emitJson(lock.content)))
  if (values) yield file('values.yaml', values.file)
  if (schema) {
    requireJson(schema)
    yield file('values.schema.json', schema)
  }
  for (const { name, data } of [...templates, ...files]) yield file(name, data)
  for (const dependency of dependencies) yield* entriesOf(dependency, `${base}charts/`)
}

const requireJson = (schema: Uint8Array): void => {
  try {
    JSON.parse(Buffer.from(schema).toString('utf8'))
  } catch (cause) {
    throw new InvalidChart('invalid JSON in values.schema.json', cause)
  }
}
