import { badRequest } from '../hub/api-errors.ts'
import { parseYaml } from '../yaml/parse.ts'
import { YamlError } from '../yaml/yaml-error.ts'
import { tooLarge, unsupportedMediaType } from './refusals.ts'

/** Kubernetes' own limit for one request. */
const limit = 3 * 1024 * 1024
const deepest = 512

/** The text of a request's body. Fails with RequestEntityTooLarge before it is all read. */
export const bodyText = async (request: Request): Promise<string> => {
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge(limit)
  if (!request.body) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
    size += chunk.byteLength
    if (size > limit) throw tooLarge(limit)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The media type of a body, without parameters. */
export const contentTypeOf = (request: Request): string =>
  (request.headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase()

/** A body that must be an object in JSON or YAML; JSON when the client does not say. */
export const bodyObject = async (request: Request): Promise<Readonly<Record<string, unknown>>> => {
  const type = contentTypeOf(request) || 'application/json'
  if (type !== 'application/json' && type !== 'application/yaml')
    throw unsupportedMediaType(['application/json', 'application/yaml'])
  return parsedObject(await bodyText(request), type === 'application/yaml')
}

/** Fails with BadRequest when the text is not an object, or nested without end. */
export const parsedObject = (text: string, mayBeYaml: boolean): Readonly<Record<string, unknown>> => {
  const value = parsed(text, mayBeYaml && !text.trimStart().startsWith('{'))
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest('the object provided is unrecognized: the body must be an object')
  return value as Readonly<Record<string, unknown>>
}

/** A JSON value, refused when it is nested too deep for the functions that walk through it. */
export const parsedJson = (text: string): unknown => parsed(text, false)

const parsed = (text: string, isYaml: boolean): unknown => {
  try {
    const value: unknown = isYaml ? withPlainNumbers(parseYaml(text)[0]) : JSON.parse(text)
    if (!isShallow(value, deepest)) throw badRequest(`the object provided is nested deeper than ${deepest} levels`)
    return value
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof YamlError)
      throw badRequest(
        `the object provided is unrecognized (must be of a served kind): couldn't get version/kind; ${isYaml ? 'yaml' : 'json'} parse error: ${error.message}`,
      )
    throw error
  }
}

/** Whole numbers beyond 2^53 as JSON.parse reads them. */
const withPlainNumbers = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null, (_, item) => (typeof item === 'bigint' ? Number(item) : item)))

const isShallow = (value: unknown, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0) return false
  for (const item of Array.isArray(value) ? value : Object.values(value)) if (!isShallow(item, levels - 1)) return false
  return true
}
