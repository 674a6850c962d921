import { Option } from 'commander'
import { emitJson } from '../engines/yaml/emit-json.ts'
import type { JsonValue } from '../engines/yaml/json-value.ts'

/** The forms in which commands show what they found, as of kubectl. */
const outputForms = ['table', 'wide', 'json', 'yaml'] as const
export type OutputForm = (typeof outputForms)[number]

/** `-o`, of commands that print a table by default. */
export const outputOption = (): Option =>
  new Option('-o, --output <form>', 'form of the output').choices(outputForms).default('table')

/** The content as JSON or YAML; undefined for tables. */
export const asDocument = (content: unknown, form: OutputForm): string | undefined => {
  if (form === 'json') return `${JSON.stringify(content, null, 2)}\n`
  return form === 'yaml' ? emitJson(content as JsonValue) : undefined
}
