import { errorMessage } from '../../foundations/rules/error-message.ts'
import { parseJson } from '../template/format/parse-json.ts'
import type { ValueMap } from '../template/values/value.ts'
import { HelmError } from './helm-error.ts'
import { isTable, overlay, readValues } from './read-yaml.ts'
import { type SetForm, setValues } from './set-values.ts'

/** Values from the command line: files, then `--set-json`, `--set`, `--set-string`, `--set-file` and `--set-literal`. */
export interface UserValues {
  readonly files?: readonly { readonly path: string; readonly content: Uint8Array }[]
  readonly sets?: Readonly<Partial<Record<SetForm, readonly string[]>>>
  readonly readFile?: (path: string) => string
}

const FORMS = ['set-json', 'set', 'set-string', 'set-file', 'set-literal'] as const

/** Merges all of them; later ones override earlier ones. Throws HelmError with Helm's message. */
export const mergeUserValues = ({ files = [], sets = {}, readFile }: UserValues): ValueMap => {
  let values: ValueMap = new Map()
  for (const { path, content } of files) {
    try {
      values = overlay(values, readValues(content))
    } catch (error) {
      throw new HelmError(`failed to parse ${path}: ${errorMessage(error)}`, error)
    }
  }
  for (const form of FORMS) {
    for (const text of sets[form] ?? []) {
      if (form === 'set-json' && text.trim().startsWith('{')) values = overlay(values, jsonObject(text))
      else setValues(values, text, form, readFile)
    }
  }
  return values
}

const jsonObject = (text: string): ValueMap => {
  try {
    const value = parseJson(text.trim())
    if (isTable(value)) return value
  } catch {
    // Helm has one message for all invalid JSON.
  }
  throw new HelmError(`failed parsing --set-json data JSON: ${text}`)
}
