import { compareText } from '../../foundations/go/compare-text.ts'
import { writeYaml } from '../template/functions/encoding.ts'
import { Bytes } from '../template/values/bytes.ts'
import { textOf } from '../template/values/text.ts'
import { NamedMap, stringList, TemplateFunction, type Value } from '../template/values/value.ts'
import type { ChartFile } from './chart.ts'
import { compileFileGlob } from './file-glob.ts'

type Files = ReadonlyMap<string, Uint8Array>

/** `.Files` of templates: the chart's other files, for use in ConfigMaps and Secrets. */
export const filesValue = (files: readonly ChartFile[]): Value =>
  filesOf(new Map(files.map(({ name, data }) => [name, data])))

const filesOf = (files: Files): Value => {
  const read = (name: string) => files.get(name) ?? NO_BYTES
  const text = (name: string) => textOf(read(name))
  const path = (call: (path: string) => Value) => new TemplateFunction(['string'], call)
  /** Maps base names to contents, regardless of folder. */
  const mapping = (write: (data: Uint8Array) => string) =>
    writeYaml(new Map(inOrder(files).map(([name, data]) => [baseName(name), write(data)]))).replace(/\n$/, '')
  return new NamedMap(
    'engine.files',
    [...files].map(([name, data]) => [name, new Bytes(data)]),
    new Map([
      ['Get', path(text)],
      ['GetBytes', path(name => new Bytes(read(name)))],
      ['Glob', path(pattern => filesOf(matching(files, pattern)))],
      ['Lines', path(name => linesOf(files.get(name)))],
      ['AsConfig', new TemplateFunction([], () => mapping(textOf))],
      ['AsSecrets', new TemplateFunction([], () => mapping(data => Buffer.from(data).toString('base64')))],
    ]),
  )
}

const NO_BYTES = new Uint8Array()

const matching = (files: Files, pattern: string): Files => {
  const matches = compileFileGlob(pattern)
  return new Map([...files].filter(([name]) => matches(name)))
}

const inOrder = (files: Files) => [...files].sort(([a], [b]) => compareText(a, b))

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

const linesOf = (data: Uint8Array | undefined): Value =>
  stringList(data?.length ? textOf(data).replace(/\n$/, '').split('\n') : [])
