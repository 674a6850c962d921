import { mergeTables } from '../../../engines/helm/coalesce.ts'
import { isTable, notAMapping, readYaml } from '../../../engines/helm/read-yaml.ts'
import { schemaProblems } from '../../../engines/helm/schema/validate-values.ts'
import { fromJson } from '../../../engines/template/values/from-json.ts'
import type { ValueMap } from '../../../engines/template/values/value.ts'
import { errorMessage } from '../../../foundations/rules/error-message.ts'
import type { LintReport } from './lint-message.ts'

const file = 'values.yaml'

interface ValuesFiles {
  readonly values?: Uint8Array | undefined
  /** values.schema.json; absent to skip validation. */
  readonly schema?: Uint8Array | undefined
}

/** Lint rules for values.yaml: it exists, is a mapping, and meets the schema together with the given values. */
export const lintValues = ({ values, schema }: ValuesFiles, given: ValueMap, report: LintReport): void => {
  if (!report.rule('INFO', file, values ? undefined : 'file does not exist')) return
  report.rule('ERROR', file, problem(values!, schema, given))
}

const problem = (content: Uint8Array, schema: Uint8Array | undefined, given: ValueMap): string | undefined => {
  let own: ValueMap
  try {
    own = readTable(content)
  } catch (error) {
    return `unable to parse YAML: ${errorMessage(error)}`
  }
  if (!schema || schema.length === 0) return undefined
  return schemaProblems(schema, mergeTables(structuredClone(given), own, 'delete')) || undefined
}

const readTable = (content: Uint8Array): ValueMap => {
  const json = readYaml(content)
  const value = json === null ? new Map() : fromJson(json, { integers: 'float64' })
  if (isTable(value)) return value
  throw new Error(notAMapping(json, 'common.Values'))
}
