/** Bodies of requests and responses, as they are recorded. */
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { parseYaml } from '../../../engines/yaml/parse.ts'
import { Budget } from '../../../foundations/budget/budget.ts'
import { collectBytes } from '../../../foundations/budget/collect-bytes.ts'
import { isObject } from '../../../foundations/kinds/json-object.ts'
import { contentTypeOf, optionalBodyObject } from '../wire/body.ts'

/** Larger bodies are omitted from the record, which says so. */
const maxBytes = 1 << 20
const maxNodes = 100_000

/** A body that was too large. */
export const omitted: unique symbol = Symbol('omitted')

/** A request's body as JSON, a patch as it was sent; undefined if there is none that can be read. */
export const requestContent = async (request: Request): Promise<unknown> => {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return omitted
  try {
    const type = contentTypeOf(request)
    if (!type.includes('patch')) return await optionalBodyObject(request)
    const bytes = request.body && (await collectBytes(request.body, maxBytes))
    if (!bytes) return request.body ? omitted : undefined
    return type.includes('yaml')
      ? parseYaml(bytes, { budget: new Budget({ nodes: maxNodes }) })[0]
      : JSON.parse(bytes.toString())
  } catch {
    // The API has responded with an error, as it could not parse it either.
    return undefined
  }
}

const unzip = promisify(gunzip)

/** A response's body; undefined unless it is JSON. Consumes the body: pass a clone. */
export const responseContent = async (response: Response): Promise<unknown> => {
  if (!response.body || !response.headers.get('content-type')?.startsWith('application/json')) return undefined
  const bytes = await collectBytes(response.body, maxBytes)
  if (!bytes) return omitted
  try {
    const isZipped = response.headers.get('content-encoding') === 'gzip'
    const plain = isZipped ? await unzip(bytes, { maxOutputLength: maxBytes }) : bytes
    return JSON.parse(plain.toString())
  } catch {
    return omitted
  }
}

/** An object, list or table without `metadata.managedFields`. */
export const withoutManagedFields = (content: unknown): unknown => {
  if (!isObject(content)) return content
  const { metadata, items, rows } = content
  return {
    ...content,
    ...(isObject(metadata) && { metadata: withoutField(metadata, 'managedFields') }),
    ...(Array.isArray(items) && { items: items.map(withoutManagedFields) }),
    ...(Array.isArray(rows) && {
      rows: rows.map(row => (isObject(row) ? { ...row, object: withoutManagedFields(row.object) } : row)),
    }),
  }
}

const withoutField = ({ ...fields }: Record<string, unknown>, name: string) => {
  delete fields[name]
  return fields
}
