import { parseYaml } from '../../../engines/yaml/parse.ts'
import { YamlError } from '../../../engines/yaml/yaml-error.ts'
import { Budget, BudgetExceeded } from '../../../foundations/budget/budget.ts'
import { collectBytes } from '../../../foundations/budget/collect-bytes.ts'
import { describeTypeMismatch } from '../../../foundations/kinds/schema/go-types.ts'
import { badRequest } from '../../store/api-errors.ts'
import { tooLarge, tooManyValues, unsupportedMediaType } from '../refusals.ts'
import { measureJson } from './json-values.ts'
import { protobufType, readProtobuf } from './protobuf.ts'

/** Kubernetes' limit for one request. */
export const maxBodyBytes = 3 * 1024 * 1024
const deepest = 512
/**
 * Time and memory of a request depend on the number of values and names in its body; 3 MiB may contain a million, which take a second to
 * parse. This limit takes a tenth of that, and equals what an object may hold (`valuesPerField` of the hub) if each value has a name.
 */
const maxValues = 100_000
/** YAML takes ten times as long to parse, and clients send large objects as JSON. */
const maxYamlValues = 30_000

/** Reads a request's body. Fails with RequestEntityTooLarge before reading all of a large one. */
export const bodyBytes = async (request: Request, limit = maxBodyBytes): Promise<Buffer> => {
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge(limit)
  if (!request.body) return Buffer.alloc(0)
  const body = await collectBytes(request.body, limit)
  if (!body) throw tooLarge(limit)
  return body
}

/** The media type of a body, without parameters. */
export const contentTypeOf = (request: Request): string =>
  (request.headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase()

type JsonObject = Readonly<Record<string, unknown>>

/**
 * Parses a body that must be an object in JSON, YAML or protobuf; JSON by default. Undefined if there is none. `describe` creates the error
 * message from the problem.
 */
export const optionalBodyObject = async (
  request: Request,
  describe: Describe = unreadable,
): Promise<JsonObject | undefined> => {
  const bytes = await bodyBytes(request)
  if (bytes.length === 0) return undefined
  const type = contentTypeOf(request) || 'application/json'
  if (type === protobufType)
    return withinValues(maxValues, () => readProtobuf(bytes, new Budget({ nodes: 3 * maxValues })))
  if (type !== 'application/json' && type !== 'application/yaml')
    throw unsupportedMediaType(['application/json', 'application/yaml', protobufType])
  const body = parsedObject(bytes.toString('utf8'), type === 'application/yaml' ? 'yaml' : 'json', describe)
  const problem = describeTypeMismatch(typeMeta, body, '')
  if (problem) throw badRequest(describe(`json parse error: ${problem}`))
  return body
}

/** Parses a body that must exist and be an object of this kind. */
export const bodyObject = async (request: Request, kind: string): Promise<JsonObject> =>
  (await optionalBodyObject(request, unrecognized(kind))) ?? parsedObject('', 'json', unrecognized(kind))

/** Kind and apiVersion must be known before anything else is read. */
const typeMeta = { type: 'object', properties: { apiVersion: { type: 'string' }, kind: { type: 'string' } } } as const

const unreadable = (why: string): string => `couldn't get version/kind; ${why}`
/** The message for a body that should be of this kind. */
export const unrecognized = (kind: string) => (why: string) =>
  `the object provided is unrecognized (must be of type ${kind}): ${unreadable(why)}`

type Format = 'json' | 'yaml'
/** The whole message, from what is wrong. */
type Describe = (why: string) => string

/**
 * Fails with BadRequest unless the text is an object of limited nesting, and with RequestEntityTooLarge if it has too many values. YAML may
 * also be JSON.
 */
export const parsedObject = (text: string, format: Format, describe: Describe): JsonObject => {
  const value = parsed(text, format, describe)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest(describe(`${format} parse error: it must be an object`))
  return value as JsonObject
}

/** Parses a value that recursive functions can process: refuses deep nesting. */
export const parsed = (text: string, format: Format, describe: Describe): unknown => {
  const isYaml = format === 'yaml' && !text.trimStart().startsWith('{')
  const json = isYaml ? decoded('yaml', describe, () => jsonOfYaml(text)) : text
  const { values, depth } = measureJson(json, maxValues)
  if (values > maxValues) throw tooManyValues(maxValues)
  const value: unknown = decoded(format, describe, () => JSON.parse(json))
  if (depth > deepest) throw badRequest(`the object provided is nested deeper than ${deepest} levels`)
  return value
}

/** Integers beyond 2^53 are rounded as in JSON.parse. */
const jsonOfYaml = (text: string): string => {
  const [value = null] = withinValues(maxYamlValues, () =>
    parseYaml(text, { budget: new Budget({ nodes: 3 * maxYamlValues }) }),
  )
  return JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? Number(item) : item))
}

const decoded = <T>(format: Format, describe: Describe, decode: () => T): T => {
  try {
    return decode()
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof YamlError)) throw error
    throw badRequest(describe(`${format} parse error: ${error.message}`))
  }
}

/** For parsers that count nodes: a value is up to three, with its key and its resolved form. */
const withinValues = <T>(max: number, parse: () => T): T => {
  try {
    return parse()
  } catch (error) {
    throw error instanceof BudgetExceeded ? tooManyValues(max) : error
  }
}
