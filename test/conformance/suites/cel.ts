import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CelError } from '../../../lib/engines/cel/cel-error.ts'
import { booleanExpression, type Data, type Expression, expression } from '../../../lib/engines/cel/expression.ts'
import { textOf } from '../../../lib/engines/cel/functions/conversions.ts'
import { healthEvaluator } from '../../../lib/engines/cel/health-expressions.ts'
import { CelType, isList, isMap, typeName, type Value } from '../../../lib/engines/cel/values.ts'
import { jsonLinesIn } from '../json-lines.ts'
import { type ConformanceSuite, difference } from '../suite.ts'

/** Recorded from fluxcd/pkg/runtime/cel. The texts of errors are cel-go's own: only their kind is compared. */
interface Recorded {
  readonly error?: string
  readonly parseError?: string
}

interface ExpressionCase extends Recorded {
  readonly id: string
  readonly expr: string
  /** A key of objects.json. */
  readonly object: string
  readonly bool?: boolean
  /** The result is no boolean, but this. */
  readonly boolError?: boolean
  readonly goType?: string
  readonly value?: string
}

interface UpstreamCase extends Recorded {
  readonly expr: string
  readonly line: number
  readonly test: string
  /** 1: an output type is asked for; 2: variables are declared. */
  readonly options?: number
  readonly as?: 'bool' | 'string' | '[]string' | 'any'
  readonly data?: Data
  readonly result?: unknown
}

interface StatusCase extends Recorded {
  readonly id?: string
  readonly line?: number
  readonly object: string | Data
  readonly current: string
  readonly failed: string
  readonly inProgress: string
  readonly status?: string
}

export const suite: ConformanceSuite = {
  folder: 'cel',
  *cases(directory) {
    const objects = Object.assign({}, ...jsonFile(directory)) as Readonly<Record<string, Data>>
    for (const recorded of jsonLinesIn<ExpressionCase>(directory, 'exprs.jsonl')) {
      const { id, expr, object } = recorded
      yield () => {
        const actual = outcome(() => describe(expression(expr).evaluate(objects[object]!)))
        return { name: `${id}: ${expr}`, problem: difference(actual, kindOf(recorded) ?? describeRecorded(recorded)) }
      }
    }
    for (const recorded of jsonLinesIn<UpstreamCase>(directory, 'upstream.jsonl')) {
      const { expr, line, test, result } = recorded
      // Options that contradict each other are a matter of Go's interface; ours has a function for each use.
      if (recorded.parseError?.startsWith('output type and variables')) continue
      yield () => {
        const actual = outcome(() => JSON.stringify(upstreamResult(recorded)))
        const expected = kindOf(recorded) ?? JSON.stringify(result)
        return { name: `${test} line ${line}: ${expr}`, problem: difference(actual, expected) }
      }
    }
    for (const file of ['status.jsonl', 'upstream-status.jsonl'])
      for (const recorded of jsonLinesIn<StatusCase>(directory, file)) {
        const { id, line, object, status } = recorded
        const data = typeof object === 'string' ? objects[object]! : object
        yield () => {
          const actual = outcome(() => healthEvaluator(recorded)(data))
          return { name: id ?? `line ${line}`, problem: difference(actual, kindOf(recorded) ?? status!) }
        }
      }
  },
}

const jsonFile = (directory: string): unknown[] => {
  try {
    return [JSON.parse(readFileSync(join(directory, 'objects.json'), 'utf8'))]
  } catch {
    return []
  }
}

const outcome = (evaluate: () => string): string => {
  try {
    return evaluate()
  } catch (error) {
    if (error instanceof CelError) return `${error.stage} error`
    throw error
  }
}

const kindOf = ({ error, parseError }: Recorded): string | undefined =>
  parseError ? 'parse error' : error ? 'evaluation error' : undefined

const goTypes: Readonly<Record<string, string>> = {
  int64: 'int',
  uint64: 'uint',
  float64: 'double',
  '[]uint8': 'bytes',
  'structpb.NullValue': 'null_type',
  'time.Time': 'google.protobuf.Timestamp',
  'time.Duration': 'google.protobuf.Duration',
}

const describeRecorded = ({ bool, goType = '', value }: ExpressionCase): string => {
  if (bool !== undefined) return String(bool)
  if (goType.startsWith('[]') && goType !== '[]uint8') return 'list'
  if (goType.startsWith('map[')) return 'map'
  const type = goTypes[goType] ?? goType
  return type === 'null_type' || type === 'bytes' ? type : `${type} ${value}`
}

const describe = (value: Value): string => {
  if (typeof value === 'boolean') return String(value)
  if (value === null || isList(value) || isMap(value) || value instanceof Uint8Array) return typeName(value)
  const type = typeName(value)
  // A type is its name to Go.
  return value instanceof CelType ? `string ${value.name}` : `${type} ${textOf(value)}`
}

const upstreamResult = ({ expr, options = 0, as = 'any', data = {} }: UpstreamCase): unknown => {
  const compiled: Expression = options > 0 ? booleanExpression(expr, options & 2 ? ['foo'] : []) : expression(expr)
  if (as === 'bool') return compiled.evaluateBoolean(data)
  const value = compiled.evaluate(data)
  if (as === '[]string' && !isList(value)) throw new CelError('evaluation', `not as ${as}`)
  const texts = as === 'string' ? [value] : as === '[]string' ? (value as readonly Value[]) : []
  if (!texts.every(text => typeof text === 'string')) throw new CelError('evaluation', `not as ${as}`)
  return plain(value)
}

const plain = (value: Value): unknown =>
  isList(value) ? value.map(plain) : typeof value === 'bigint' ? Number(value) : value
