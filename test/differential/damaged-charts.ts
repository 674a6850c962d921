import { gzipSync } from 'node:zlib'
import { writeTar } from '../../lib/sources/artifact/tar-writer.ts'
import { type SeededRandom, seededRandom } from '../e2e/seeded-random.ts'
import { generatedChart } from './charts.ts'
import { HOSTILE, PATHS } from './hostile-pieces.ts'

/** Files of a chart by their paths. */
export type ChartContent = ReadonlyMap<string, Uint8Array>

/** A chart, values and flags, any of which may be nonsense or mean harm. */
export interface DamagedChart {
  readonly files: ChartContent
  /** The same as a .tgz, which may be damaged once more. */
  readonly archive: Uint8Array
  readonly values: Uint8Array
  readonly sets: readonly string[]
}

/** A chart made by chance, with a schema. */
export const soundChart = (seed: number): ChartContent => {
  const { files } = generatedChart(seed)
  const all = { ...files, 'values.schema.json': SCHEMA, '.helmignore': '*.bak\n/skipped\n' }
  return new Map(Object.entries(all).map(([path, text]) => [path, Buffer.from(text)]))
}

/** Damages a chart in up to two ways, and makes values for it: equal seeds, equal damage. */
export const damagedChart = (chart: ChartContent, seed: number): DamagedChart => {
  const random = seededRandom(seed)
  const files = new Map(chart)
  for (let i = random.below(3); i > 0; i--) damageOneFile(files, random)
  const values = valuesFor(seed, random)
  const sets = random.below(5) === 0 ? [setText(random)] : []
  return { files, values, sets, archive: archiveOf(files, random) }
}

/** Mostly sound, so that templates have their turn. */
const valuesFor = (seed: number, random: SeededRandom): Uint8Array => {
  const sound = Buffer.from(generatedChart(seed).values)
  return random.below(4) === 0 ? damagedText(sound, random) : sound
}

const SCHEMA = JSON.stringify({
  $schema: 'http://json-schema.org/draft-07/schema#',
  definitions: { any: { anyOf: [{ type: ['string', 'null'], maxLength: 40 }, { type: 'object' }, true] } },
  properties: { a: { $ref: '#/definitions/any' }, list: { items: { $ref: '#' } }, name: { pattern: '^.*$' } },
  patternProperties: { '^x-': { format: 'uri' } },
})

const damageOneFile = (files: Map<string, Uint8Array>, random: SeededRandom): void => {
  const paths = [...files.keys()]
  // Without a Chart.yaml there is little else to break.
  const some = random.below(6) === 0 ? paths : paths.filter(path => !path.endsWith('Chart.yaml'))
  if (some.length === 0) return
  const [path, other] = [random.pick(some), random.pick(paths)]
  const content = files.get(path)!
  switch (random.below(10)) {
    case 0:
      files.delete(path)
      break
    case 1:
      files.set(path, files.get(other)!)
      break
    case 2:
      files.delete(path)
      files.set(random.pick(PATHS).replace('PATH', path), content)
      break
    case 3:
      files.set(random.pick(PATHS).replace('PATH', path), Buffer.from(random.pick(HOSTILE)))
      break
    default:
      files.set(path, damagedText(content, random))
  }
}

const damagedText = (content: Uint8Array, random: SeededRandom): Uint8Array => {
  const text = Buffer.from(content).toString('latin1')
  const [from, to] = [random.below(text.length + 1), random.below(text.length + 1)].sort((a, b) => a - b) as [
    number,
    number,
  ]
  const bytes = Buffer.from(content)
  switch (random.below(7)) {
    case 0:
      if (bytes.length > 0) bytes[random.below(bytes.length)]! ^= 1 << random.below(8)
      return bytes
    case 1:
      return bytes.subarray(0, from)
    case 2:
      return Buffer.from(text.slice(0, from) + text.slice(to), 'latin1')
    case 3:
      return Buffer.from(text.slice(0, to) + text.slice(from), 'latin1')
    case 4:
      return Buffer.from(swappedLines(text, random), 'latin1')
    default:
      return Buffer.concat([bytes.subarray(0, from), Buffer.from(random.pick(HOSTILE)), bytes.subarray(from)])
  }
}

const swappedLines = (text: string, random: SeededRandom): string => {
  const lines = text.split('\n')
  const [a, b] = [random.below(lines.length), random.below(lines.length)]
  ;[lines[a], lines[b]] = [lines[b]!, lines[a]!]
  return lines.join('\n')
}

/** Packed as they are, wherever their paths lead; a few are damaged once more, as a whole or within their tar. */
const archiveOf = (files: ChartContent, random: SeededRandom): Uint8Array => {
  const entries = [...files].map(([path, content]) => ({ name: `web/${path}`, mode: 0o644, content }))
  const tar = Buffer.concat([...writeTar(entries)])
  const kind = random.below(12)
  if (kind === 0) return damagedText(gzipSync(tar), random)
  if (kind === 1) for (let i = random.below(8); i >= 0; i--) tar[random.below(tar.length)] = random.below(256)
  return gzipSync(tar)
}

const setText = (random: SeededRandom): string => {
  const piece = () =>
    random.pick(['a', 'b.c', '__proto__', 'constructor.prototype', '[0]', '[65537]', '[-1]', '.', '\\', ''])
  const value = () => random.pick(['1', '{a,b', '{}', 'null', '{{ fail "x" }}', '9'.repeat(400), '\0', ','])
  return `${piece()}${piece()}=${value()}${random.pick(['', ',', `,${piece()}=${value()}`])}`
}
