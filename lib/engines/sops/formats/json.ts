import { isUtf8 } from 'node:buffer'
import { goJson, goString } from '../../yaml/go-json.ts'
import type { JsonValue } from '../../yaml/json-value.ts'
import { SopsError } from '../sops-error.ts'
import { Branch, Comment, type SopsValue, Timestamp } from '../tree.ts'
import type { Format } from './format.ts'
import { readJsonObject } from './json-reader.ts'
import { plainText } from './plain-text.ts'

/** JSON, written with tabs. Comments are lost. */
export const json: Format = {
  read: content => [readJsonObject(Buffer.from(content).toString())],
  write: ([document]) => Buffer.from(`${writeObject(document!, '')}\n`),
}

const writeValue = (value: SopsValue, indent: string): string => {
  if (value instanceof Branch) return writeObject(value, indent)
  if (isList(value)) return writeList(value, indent)
  if (value instanceof Timestamp) return goString(value.text)
  if (value instanceof Uint8Array) return writeBytes(value)
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new SopsError('format', `Error marshaling to json: unsupported value: ${plainText(value)}`)
  }
  return goJson(value as JsonValue)
}

/** Invalid UTF-8 bytes become U+FFFD, which Go writes as an escape. */
const writeBytes = (bytes: Uint8Array): string => {
  let text = ''
  let rest = bytes
  while (rest.length > 0) {
    const length = [1, 2, 3, 4].find(count => isUtf8(rest.subarray(0, count)))
    text += length ? goString(Buffer.from(rest.subarray(0, length)).toString()).slice(1, -1) : '\\ufffd'
    rest = rest.subarray(length ?? 1)
  }
  return `"${text}"`
}

const isList = (value: SopsValue): value is readonly SopsValue[] => Array.isArray(value)

const writeObject = ({ items }: Branch, indent: string): string => {
  const fields = items
    .filter(({ key }) => !(key instanceof Comment))
    .map(({ key, value }) => `${goString(key as string)}: ${writeValue(value, `${indent}\t`)}`)
  return enclosed('{', fields, '}', indent)
}

const writeList = (list: readonly SopsValue[], indent: string): string => {
  const items = list.filter(item => !(item instanceof Comment)).map(item => writeValue(item, `${indent}\t`))
  return enclosed('[', items, ']', indent)
}

const enclosed = (open: string, parts: readonly string[], close: string, indent: string): string =>
  parts.length === 0 ? `${open}${close}` : `${open}\n${indent}\t${parts.join(`,\n${indent}\t`)}\n${indent}${close}`
