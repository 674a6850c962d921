import type { KindRegistry } from '../../../foundations/kinds/all.ts'
import { servedVersionsOf } from '../../../foundations/kinds/all.ts'
import { openApiDocument } from '../../../foundations/kinds/schema/open-api.ts'

const info = { title: 'Kubernetes', version: 'v1.36.0' }

/**
 * The schemas of all kinds as one Swagger 2.0 document (JSON), for clients without OpenAPI v3. It has no paths: clients find
 * definitions by `x-kubernetes-group-version-kind`.
 */
export const swagger = (kinds: KindRegistry): string => {
  const versions = new Map(
    kinds.kinds.flatMap(kind =>
      servedVersionsOf(kind).map(({ name }) => [`${kind.group}/${name}`, { group: kind.group, version: name }]),
    ),
  )
  const definitions: Record<string, unknown> = {}
  for (const { group, version } of versions.values()) {
    const { components } = openApiDocument(kinds, group, version) as { components: { schemas: object } }
    for (const [name, schema] of Object.entries(components.schemas)) definitions[name] = asSwagger(schema)
  }
  return JSON.stringify({ swagger: '2.0', info, paths: {}, definitions })
}

/** Converts the OpenAPI v3 keywords that Swagger 2.0 lacks or names differently. */
const asSwagger = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(asSwagger)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).filter(([name]) => !unknown.has(name))
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      name === '$ref' ? String(value).replace('#/components/schemas/', '#/definitions/') : asSwagger(value),
    ]),
  )
}

const unknown: ReadonlySet<string> = new Set(['nullable', 'oneOf', 'anyOf', 'not'])

/**
 * The same document without definitions, in gnostic's protobuf format, the only one that kubectl accepts. kubectl requests it where OpenAPI
 * v3 does not help (objects of kind List), and leaves validation to the server if it finds no definition.
 */
export const swaggerProtobuf = (): Buffer => {
  const field = (number: number, content: Buffer) =>
    Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), content])
  const text = (number: number, value: string) => field(number, Buffer.from(value))
  const [swaggerVersion, infoField, paths] = [1, 2, 8]
  return Buffer.concat([
    text(swaggerVersion, '2.0'),
    field(infoField, Buffer.concat([text(1, info.title), text(2, info.version)])),
    field(paths, Buffer.alloc(0)),
  ])
}
