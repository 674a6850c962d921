import { parseJson } from '../../template/format/parse-json.ts'
import { typeNameOf, type Value, type ValueMap } from '../../template/values/value.ts'
import type { ChartNode } from '../chart-tree.ts'
import { HelmError } from '../helm-error.ts'
import { isTable } from '../read-yaml.ts'
import { compileSchema, type LoadSchema } from './compile-schema.ts'
import { InvalidSchema } from './invalid-schema.ts'
import type { Schema } from './schema.ts'
import { validate } from './validate.ts'
import { violationLines } from './violation.ts'

/**
 * Validates the values of a chart and its subcharts against their values.schema.json. Throws HelmError with Helm's message. `load` loads schemas of
 * other URLs, which are refused by default.
 */
export const validateValues = (chart: ChartNode, values: ValueMap, load: LoadSchema = refuseUrl): void => {
  const problems = problemsOf(chart, values, load)
  if (problems === '') return
  throw new HelmError(`values don't meet the specifications of the schema(s) in the following chart(s):\n${problems}`)
}

/** Helm's message for values that don't match one schema, without subcharts; '' if they match. */
export const schemaProblems = (schema: Uint8Array, values: ValueMap): string => problemsWith(schema, values, refuseUrl)

const refuseUrl = (url: string): never => {
  throw new Error(`no URLLoader registered for ${JSON.stringify(url)}`)
}

const problemsOf = (chart: ChartNode, values: ValueMap, load: LoadSchema): string => {
  const own = chart.schema ? problemsWith(chart.schema, values, load) : ''
  return (
    (own && `${chart.name}:\n${own}`) +
    chart.dependencies
      .map(dependency => {
        const given = values.get(dependency.name)
        if (given === undefined || given === null) return ''
        if (isTable(given)) return problemsOf(dependency, given, load)
        return `${dependency.name}:\ninvalid type for values: expected object (map), got ${typeNameOf(given)}\n`
      })
      .join('')
  )
}

const URL = 'file:///values.schema.json'

/** Schemas without external references, by their bytes: a cached chart is rendered many times. */
const known = new WeakMap<Uint8Array, Schema>()

const compiled = (content: Uint8Array, load: LoadSchema): Schema => {
  const schema = known.get(content) ?? compileSchema(parsed(content), URL, load)
  if (load === refuseUrl) known.set(content, schema)
  return schema
}

const problemsWith = (content: Uint8Array, values: ValueMap, load: LoadSchema): string => {
  try {
    const violation = validate(compiled(content, load), values)
    return violation ? violationLines(violation) : ''
  } catch (error) {
    if (error instanceof InvalidSchema) return error.message
    throw error
  }
}

const parsed = (content: Uint8Array): Value => {
  try {
    return parseJson(Buffer.from(content).toString('utf8'))
  } catch (error) {
    throw new InvalidSchema((error as Error).message)
  }
}
