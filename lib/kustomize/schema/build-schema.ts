import type { JsonObject } from '../../yaml/json-value.ts'
import { parseYaml } from '../../yaml/parse.ts'
import { KustomizeError, wrapError } from '../kustomize-error.ts'
import kubernetes from './kubernetes-schema.json' with { type: 'json' }
import type { Schema } from './schema.ts'
import { type SchemaTable, tableFromSwagger } from './swagger-table.ts'
import { tableSchema } from './table-schema.ts'

type TableSchema = ReturnType<typeof tableSchema>

const GVKS = 'x-kubernetes-group-version-kind'
const BUILT_IN_VERSION = 'v1.21.2'

/** Kinds that came after the built-in release and are known to have no namespace all the same. */
const LATER_CLUSTER_KINDS = new Set([
  'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy',
  'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding',
])

const builtInTable = kubernetes as unknown as SchemaTable
const builtIn = tableSchema(builtInTable)
const knownKinds = new Set([...builtInTable.clusterScoped, ...builtInTable.namespaced])

/** Extra facts of kustomize about its own file, when one is built as a resource. */
const kustomizationLists: SchemaTable = {
  clusterScoped: [],
  namespaced: [],
  kinds: { 'kustomize.config.k8s.io/v1beta1/Kustomization': 0 },
  names: {},
  types: [{ configMapGenerator: [-1, 'list', ['name']], secretGenerator: [-1, 'list', ['name']] }],
}
const ownKinds = tableSchema(kustomizationLists)

/**
 * The schema of one build: the built-in one, or the one that the first kustomization with an `openapi` field gives.
 * A custom schema replaces the built-in merge keys; well-known kinds keep their scope.
 */
export class BuildSchema implements Schema {
  private custom: TableSchema | undefined
  private decided = false
  /** kustomize reads the built-in schema when it is first asked of something unusual; what was read stays. */
  builtInRead = false

  /** No kustomization has chosen a schema so far. */
  get isBuiltIn(): boolean {
    return !this.decided
  }

  isClusterScoped(apiVersion: string, kind: string): boolean {
    const key = `${apiVersion}/${kind}`
    if (LATER_CLUSTER_KINDS.has(key) || builtIn.isClusterScoped(apiVersion, kind)) return true
    if (knownKinds.has(key)) return false
    if (!this.custom) this.builtInRead = true
    return this.custom?.isClusterScoped(apiVersion, kind) ?? false
  }

  typeOf(apiVersion: string, kind: string): ReturnType<Schema['typeOf']> {
    if (!this.custom) this.builtInRead = true
    return (this.custom ?? builtIn).typeOf(apiVersion, kind) ?? ownKinds.typeOf(apiVersion, kind)
  }

  described(schema: JsonObject): ReturnType<Schema['described']> {
    const holder = {
      definitions: { Holder: { properties: { it: schema }, [GVKS]: [{ version: 'v1', kind: 'Holder' }] } },
    }
    return tableSchema(tableFromSwagger(holder, builtInTable)).typeOf('v1', 'Holder')?.field('it')
  }

  /** Takes the `openapi` field of a kustomization; `load` reads the file it names. */
  use(openapi: Readonly<Record<string, string>> | undefined, load: (path: string) => Uint8Array): void {
    if (!openapi) return
    const document = openapi.path === undefined ? undefined : load(openapi.path)
    if (this.decided) return
    const { version } = openapi
    if (document) {
      if (version !== undefined)
        throw new KustomizeError('builtin version and custom schema provided, cannot use both', { field: 'openapi' })
      this.custom = readSchema(document, this.builtInRead ? builtInTable : undefined)
      this.decided = true
    } else if (version !== undefined && version !== '') {
      if (version !== BUILT_IN_VERSION)
        throw new KustomizeError('the specified OpenAPI version is not built in', { field: 'openapi.version' })
      this.decided = true
    }
  }
}

const readSchema = (document: Uint8Array, base: SchemaTable | undefined): TableSchema => {
  try {
    return tableSchema(tableFromSwagger((parseYaml(document)[0] ?? {}) as JsonObject, base))
  } catch (error) {
    throw wrapError('invalid schema file', error, { field: 'openapi.path' })
  }
}
