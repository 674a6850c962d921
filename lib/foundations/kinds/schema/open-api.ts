/**
 * OpenAPI v3 documents, one per group and version, from the definitions of the kinds: enough for kubectl's explain, diff, validation and
 * patches. (kubectl looks up the parameters and patch types of a kind in `paths`, and its fields in `components`.)
 */
import { createHash } from 'node:crypto'
import type { KindRegistry } from '../all.ts'
import { servedVersionsOf } from '../all.ts'
import type { Kind, KindVersion } from '../kind.ts'
import { metadataSchema } from '../metadata.ts'
import type { StructuralSchema } from './schema.ts'

type Json = { readonly [name: string]: unknown }

/** The content of `/openapi/v3`: the path of each group's and version's document, with a hash that changes with it. */
export const openApiIndex = (registry: KindRegistry): Json => {
  const versions = registry.kinds.flatMap(kind => servedVersionsOf(kind).map(({ name }) => rootOf(kind.group, name)))
  const paths = [...new Set(versions)].sort().map(root => {
    const hash = createHash('sha512')
      .update(JSON.stringify(documentAt(registry, root)))
      .digest('hex')
      .toUpperCase()
    return [root, { serverRelativeURL: `/openapi/v3/${root}?hash=${hash}` }]
  })
  return { paths: Object.fromEntries(paths) }
}

/** The content of `/openapi/v3/apis/<group>/<version>` (or `/openapi/v3/api/v1`); undefined if nothing is served there. */
export const openApiDocument = (registry: KindRegistry, group: string, version: string): Json | undefined =>
  documentAt(registry, rootOf(group, version))

const rootOf = (group: string, version: string): string => (group ? `apis/${group}/${version}` : `api/${version}`)

const documentAt = (registry: KindRegistry, root: string): Json | undefined => {
  const served = registry.kinds.flatMap(kind =>
    servedVersionsOf(kind)
      .filter(({ name }) => rootOf(kind.group, name) === root)
      .map(version => ({ kind, version })),
  )
  if (served.length === 0) return undefined
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.36.0' },
    paths: Object.assign({}, ...served.map(one => pathsOf(one, `/${root}`))),
    components: { schemas: Object.assign({}, commonSchemas, ...served.map(schemasOf)) },
  }
}

interface Served {
  readonly kind: Kind
  readonly version: KindVersion
}

// ---- schemas ----

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1'
const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

const { properties: metadataFields = {} } = metadataSchema

/** The parts of ObjectMeta are schemas of their own, under the names that clients know. */
const commonSchemas: Json = {
  [`${meta}.ObjectMeta`]: {
    ...metadataSchema,
    properties: {
      ...metadataFields,
      ownerReferences: { ...metadataFields.ownerReferences, items: ref(`${meta}.OwnerReference`) },
      managedFields: { ...metadataFields.managedFields, items: ref(`${meta}.ManagedFieldsEntry`) },
    },
  },
  [`${meta}.OwnerReference`]: metadataFields.ownerReferences?.items,
  [`${meta}.ManagedFieldsEntry`]: metadataFields.managedFields?.items,
  [`${meta}.ListMeta`]: {
    type: 'object',
    description: 'Standard metadata of lists.',
    properties: {
      resourceVersion: { type: 'string', description: 'Version of the collection at which the list was read.' },
      continue: { type: 'string', description: 'Token for the next page. Empty on the last one.' },
      remainingItemCount: { type: 'integer', format: 'int64', description: 'Number of remaining objects.' },
    },
  },
  [`${meta}.Patch`]: { type: 'object', description: 'A patch in the format of its content type.' },
  [`${meta}.DeleteOptions`]: { type: 'object', description: 'Options of a deletion.' },
  [`${meta}.Status`]: { type: 'object', description: 'Result of a request.' },
}

/** `io.k8s.api.core.v1.Secret`, `io.fluxcd.toolkit.source.v1.GitRepository`. */
const schemaName = ({ kind, version }: Served): string =>
  kind.group
    ? `${kind.group.split('.').reverse().join('.')}.${version.name}.${kind.kind}`
    : `io.k8s.api.core.${version.name}.${kind.kind}`

const identity = {
  apiVersion: { type: 'string', description: 'API version of this representation of the object.' },
  kind: { type: 'string', description: 'Kind of the object.' },
}

const schemasOf = (served: Served): Json => {
  const { kind, version } = served
  const name = schemaName(served)
  const schema: StructuralSchema = version.schema
  return {
    [name]: {
      ...schema,
      properties: {
        ...identity,
        metadata: { description: 'Standard metadata of objects.', allOf: [ref(`${meta}.ObjectMeta`)], default: {} },
        ...schema.properties,
      },
      'x-kubernetes-group-version-kind': [gvkOf(served)],
    },
    [`${name}List`]: {
      type: 'object',
      description: `A list of objects of kind ${kind.kind}.`,
      required: ['items'],
      properties: {
        ...identity,
        metadata: { description: 'Standard metadata of lists.', allOf: [ref(`${meta}.ListMeta`)], default: {} },
        items: { type: 'array', description: 'The objects.', items: ref(name) },
      },
      'x-kubernetes-group-version-kind': [{ ...gvkOf(served), kind: `${kind.kind}List` }],
    },
  }
}

const gvkOf = ({ kind, version }: Served) => ({ group: kind.group, kind: kind.kind, version: version.name })

// ---- paths ----

const pathsOf = (served: Served, root: string): Json => {
  const { kind, version } = served
  const all = `${root}/${kind.plural}`
  const collection = kind.namespaced ? `${root}/namespaces/{namespace}/${kind.plural}` : all
  const item = `${collection}/{name}`
  const itemOperations = (part = ''): Json => ({
    parameters: [...(kind.namespaced ? [parameter('path', 'namespace')] : []), parameter('path', 'name')],
    get: operation(served, 'get', `read${part}`, []),
    put: operation(served, 'put', `replace${part}`, writing, bodyOf(schemaName(served))),
    patch: operation(served, 'patch', `patch${part}`, [...writing, force], patchBody(kind)),
  })
  return {
    ...(kind.namespaced && { [all]: { get: operation(served, 'list', 'listAll', listing) } }),
    [collection]: {
      parameters: kind.namespaced ? [parameter('path', 'namespace')] : [],
      get: operation(served, 'list', 'list', listing),
      post: operation(served, 'post', 'create', writing, bodyOf(schemaName(served))),
      delete: operation(served, 'deletecollection', 'deleteCollection', listing, bodyOf(`${meta}.DeleteOptions`)),
    },
    [item]: {
      ...itemOperations(),
      delete: operation(served, 'delete', 'delete', [dryRun], bodyOf(`${meta}.DeleteOptions`)),
    },
    ...(version.status && { [`${item}/status`]: itemOperations('Status') }),
  }
}

const operation = (served: Served, action: string, verb: string, parameters: readonly Json[], requestBody?: Json) => {
  const responseSchema = `${schemaName(served)}${action === 'list' ? 'List' : ''}`
  const schema = ref(action.startsWith('delete') ? `${meta}.Status` : responseSchema)
  return {
    operationId: `${verb}${capital(served.version.name)}${served.kind.kind}`,
    parameters,
    ...(requestBody && { requestBody }),
    responses: { 200: { description: 'OK', content: contentOf(['application/json', 'application/yaml'], schema) } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvkOf(served),
  }
}

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

const contentOf = (types: readonly string[], schema: Json): Json =>
  Object.fromEntries(types.map(type => [type, { schema }]))

const bodyOf = (name: string): Json => ({ content: contentOf(['application/json', 'application/yaml'], ref(name)) })

const patchTypes = ['application/apply-patch+yaml', 'application/json-patch+json', 'application/merge-patch+json']

/** Only native kinds have strategic merge patches. */
const patchBody = ({ native }: Kind): Json => ({
  content: contentOf(
    native ? [...patchTypes, 'application/strategic-merge-patch+json'] : patchTypes,
    ref(`${meta}.Patch`),
  ),
})

const parameter = (place: 'query' | 'path', name: string, type = 'string'): Json => ({
  name,
  in: place,
  ...(place === 'path' && { required: true }),
  schema: { type, uniqueItems: true },
})

const query = (...names: readonly string[]): Json[] => names.map(name => parameter('query', name))

const [dryRun = {}] = query('dryRun')
const force = parameter('query', 'force', 'boolean')
const writing = [dryRun, ...query('fieldManager', 'fieldValidation')]
const listing = [
  ...query('continue', 'fieldSelector', 'labelSelector', 'resourceVersion', 'resourceVersionMatch'),
  ...['limit', 'timeoutSeconds'].map(name => parameter('query', name, 'integer')),
  ...['allowWatchBookmarks', 'sendInitialEvents', 'watch'].map(name => parameter('query', name, 'boolean')),
]
