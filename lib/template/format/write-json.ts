import { goJson, goJsonIndented } from '../../yaml/go-json.ts'
import { toJsonValue } from '../values/to-json.ts'
import type { Value } from '../values/value.ts'

export interface JsonOptions {
  /** Whether <, > and & become escapes, as encoding/json has it unless told. */
  readonly escapeHtml: boolean
  readonly isIndented?: boolean
}

/** JSON as encoding/json writes it: keys in order, no spaces, or indented by two. */
export const writeJson = (value: Value, { escapeHtml, isIndented = false }: JsonOptions): string => {
  const json = toJsonValue(value)
  const text = isIndented ? goJsonIndented(json) : goJson(json)
  return escapeHtml ? text : text.replace(/\\(u003c|u003e|u0026|.)/g, (written, code: string) => PLAIN[code] ?? written)
}

const PLAIN: Readonly<Record<string, string>> = { u003c: '<', u003e: '>', u0026: '&' }
