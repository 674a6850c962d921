import { hasBreak, isBreak } from './characters.ts'
import { formatNumber } from './format-number.ts'
import type { JsonObject, JsonValue } from './json-value.ts'
import { compareKeys } from './key-order.ts'
import { isDefinitelyPlain, isDefinitelyPlainText, resolve } from './resolve.ts'
import { scanQuotedText } from './scan-quoted-text.ts'
import { foldLine, writeScalar } from './write-scalar.ts'

const WIDTH = 80

const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/

/** Which of two keys comes first. */
type KeyOrder = (a: string, b: string) => number

/**
 * Writes data as sigs.k8s.io/yaml does: keys sorted (by default in go-yaml's order for maps), lists not indented, strings quoted only if a
 * YAML 1.1 reader would read them as something else, lines folded at 80 columns. This is the format of `kustomize build`.
 */
export const emitJson = (value: JsonValue, order: KeyOrder = compareKeys): string => {
  if (Array.isArray(value) && value.length > 0) return writeItems(value, 0, '', order)
  if (isFilledObject(value)) return writeFields(value, 0, '', order)
  return ended(writeInline(value, 0, 2))
}

const isFilledObject = (value: JsonValue): value is JsonObject => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  for (const _ in value) return true
  return false
}

/** Writes fields at an indentation; `lead` replaces the first one's indentation. */
const writeFields = (object: JsonObject, indent: number, lead: string, order: KeyOrder): string => {
  const pad = ' '.repeat(indent)
  let out = ''
  let before = lead
  for (const key of Object.keys(object).sort(order)) {
    out += before + writeField(key, object[key]!, indent, pad, order)
    before = pad
  }
  return out
}

const writeField = (key: string, value: JsonValue, indent: number, pad: string, order: KeyOrder): string => {
  const plain = isDefinitelyPlain(key) && key.length <= 128
  if (!plain && !isSimpleKey(key)) {
    return `? ${ended(writeString(key, indent + 2, indent + 2, false))}${writeEntry(value, indent, `${pad}: `, order)}`
  }
  const name = plain ? key : writeString(key, indent, indent, true)
  if (Array.isArray(value) && value.length > 0) return `${name}:\n${writeItems(value, indent, pad, order)}`
  if (isFilledObject(value)) return `${name}:\n${writeFields(value, indent + 2, `${pad}  `, order)}`
  return `${name}: ${ended(writeInline(value, indent + name.length + 2, indent + 2))}`
}

const maxSimpleKey = 128
const utf8 = new TextEncoder()

/** A unit of UTF-16 takes three bytes at most, so that short keys need not be encoded. No Buffer: browsers have none. */
const isSimpleKey = (key: string): boolean =>
  !hasBreak(key) && (key.length * 3 <= maxSimpleKey || utf8.encode(key).length <= maxSimpleKey)

const writeItems = (items: readonly JsonValue[], indent: number, lead: string, order: KeyOrder): string => {
  const dash = `${' '.repeat(indent)}- `
  let out = ''
  let before = `${lead}- `
  for (const item of items) {
    out += writeEntry(item, indent, before, order)
    before = dash
  }
  return out
}

/** A value after a two-column indicator (`- `, or `: ` after a long key): its further lines are aligned with the first. */
const writeEntry = (value: JsonValue, indent: number, lead: string, order: KeyOrder): string => {
  if (Array.isArray(value) && value.length > 0) return writeItems(value, indent + 2, lead, order)
  if (isFilledObject(value)) return writeFields(value, indent + 2, lead, order)
  return lead + ended(writeInline(value, indent + 2, indent + 2))
}

const ended = (text: string): string => (isBreak(text.charCodeAt(text.length - 1)) ? text : `${text}\n`)

const writeInline = (value: JsonValue, column: number, indent: number): string => {
  switch (typeof value) {
    case 'string':
      return isDefinitelyPlain(value) ? value : writeString(value, column, indent, false)
    case 'number':
    case 'bigint':
      return formatNumber(value)
    case 'boolean':
      return value ? 'true' : 'false'
    default:
      return value === null ? 'null' : Array.isArray(value) ? '[]' : '{}'
  }
}

const writeString = (raw: string, column: number, indent: number, isKey: boolean): string => {
  if (!isKey && isDefinitelyPlainText(raw)) return foldLine(raw, column, indent, WIDTH)
  // kustomize passes JSON through a YAML parser, which reads a next-line character as a line break and folds it.
  const text = raw.includes('\x85') ? scanQuotedText(raw) : raw
  const style = text.includes('\n') ? 'literal' : canBePlain(text) ? '' : 'double'
  return writeScalar(text, style, { emitter: 'v2', column, indent, width: WIDTH, inFlow: false, isKey })
}

/** Whether a plain text would be read back as this string, by YAML 1.1 including dates. */
const canBePlain = (text: string): boolean =>
  resolve(text, 'kubernetes').tag === '!!str' && resolve(text, 'kyaml').tag === '!!str' && !BASE_60.test(text)
