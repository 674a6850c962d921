import { goString } from '../../yaml/go-json.ts'
import { Branch, Comment, type SopsValue, Timestamp } from '../tree.ts'
import type { Format } from './format.ts'
import { readJsonObject } from './json-reader.ts'

/** JSON, written with tabs. Comments get lost. */
export const json: Format = {
  title: 'JSON',
  metadata: 'nested',
  read: content => [readJsonObject(new TextDecoder().decode(content))],
  write: ([document]) => Buffer.from(`${writeValue(document ?? new Branch([]), '')}\n`),
}

const writeValue = (value: SopsValue, indent: string): string => {
  if (value instanceof Branch) return writeObject(value, indent)
  if (isList(value)) return writeList(value, indent)
  if (Object.is(value, -0)) return '-0'
  if (typeof value === 'bigint' || typeof value === 'number') return String(value) // as Go: they agree on floats
  if (value instanceof Timestamp) return goString(value.text)
  if (value instanceof Uint8Array) return goString(new TextDecoder().decode(value))
  return typeof value === 'string' ? goString(value) : JSON.stringify(value)
}

const isList = (value: SopsValue): value is readonly SopsValue[] => Array.isArray(value)

const writeObject = ({ items }: Branch, indent: string): string => {
  const fields = items.flatMap(({ key, value }) =>
    typeof key === 'string' ? [`${goString(key)}: ${writeValue(value, `${indent}\t`)}`] : [],
  )
  return enclosed('{', fields, '}', indent)
}

const writeList = (list: readonly SopsValue[], indent: string): string => {
  const items = list.filter(item => !(item instanceof Comment)).map(item => writeValue(item, `${indent}\t`))
  return enclosed('[', items, ']', indent)
}

const enclosed = (open: string, parts: readonly string[], close: string, indent: string): string =>
  parts.length === 0 ? `${open}${close}` : `${open}\n${indent}\t${parts.join(`,\n${indent}\t`)}\n${indent}${close}`
