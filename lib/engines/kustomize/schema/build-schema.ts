import type { Budget } from '../../../foundations/budget/budget.ts'
import type { JsonObject } from '../../yaml/json-value.ts'
import { parseYaml } from '../../yaml/parse.ts'
import { KustomizeError, wrapError } from '../kustomize-error.ts'
import type { Loader } from '../loader.ts'
import kubernetes from './kubernetes-schema.json' with { type: 'json' }
import type { Schema, TypeSchema } from './schema.ts'
import { objectIn, type SchemaTable, tableFromSwagger } from './swagger-table.ts'
import { typesIn } from './table-schema.ts'

const GVKS = 'x-kubernetes-group-version-kind'
const BUILT_IN_VERSION = 'v1.21.2'

const builtIn = kubernetes as unknown as SchemaTable
const builtInTypes = typesIn(builtIn)
const clusterScopedKinds = new Set([
  ...builtIn.clusterScoped,
  // Kinds newer than the built-in release that are known to be cluster-scoped.
  'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy',
  'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding',
])
const namespacedKinds = new Set(builtIn.namespaced)

/** kustomize's own kinds, for its file when it is built as a resource. */
const ownTypes = typesIn({
  kinds: { 'kustomize.config.k8s.io/v1beta1/Kustomization': 0 },
  types: [{ configMapGenerator: [-1, ['name']], secretGenerator: [-1, ['name']] }],
})

/**
 * The schema of one build: the built-in one, or that of the first kustomization with an `openapi` field. A custom schema replaces the
 * built-in merge keys; well-known kinds keep their scope.
 */
export class BuildSchema implements Schema {
  private custom: Pick<Schema, 'isClusterScoped' | 'typeOf'> | undefined
  private decided = false
  /** kustomize reads the built-in schema when it first needs an unusual kind, and then keeps it. */
  builtInRead = false

  /** No kustomization has set a schema so far. */
  get isBuiltIn(): boolean {
    return !this.decided
  }

  isClusterScoped(apiVersion: string, kind: string): boolean {
    const key = `${apiVersion}/${kind}`
    if (clusterScopedKinds.has(key)) return true
    if (namespacedKinds.has(key)) return false
    this.builtInRead = true
    return this.custom?.isClusterScoped(apiVersion, kind) ?? false
  }

  typeOf(apiVersion: string, kind: string): TypeSchema | undefined {
    this.builtInRead = true
    return (this.custom?.typeOf ?? builtInTypes)(apiVersion, kind) ?? ownTypes(apiVersion, kind)
  }

  described(schema: JsonObject): TypeSchema | undefined {
    const holder = {
      definitions: { Holder: { properties: { it: schema }, [GVKS]: [{ version: 'v1', kind: 'Holder' }] } },
    }
    return typesIn(tableFromSwagger(holder, builtIn))('v1', 'Holder')!.field('it')
  }

  /** Uses a kustomization's `openapi` field and the file that it names. */
  use(openapi: Readonly<Record<string, string>> | undefined, loader: Pick<Loader, 'load' | 'budget'>): void {
    if (!openapi) return
    const document = openapi.path === undefined ? undefined : loader.load(openapi.path)
    if (this.decided) return
    const { version } = openapi
    if (document) {
      if (version !== undefined) throw new KustomizeError('builtin version and custom schema provided, cannot use both')
      this.custom = readSchema(document, this.builtInRead ? builtIn : undefined, loader.budget)
      this.decided = true
    } else if (version !== undefined && version !== '') {
      if (version !== BUILT_IN_VERSION)
        throw new KustomizeError('the specified OpenAPI version is not built in', { field: 'openapi.version' })
      this.decided = true
    }
  }
}

const readSchema = (
  document: Uint8Array,
  base: SchemaTable | undefined,
  budget: Budget,
): Pick<Schema, 'isClusterScoped' | 'typeOf'> => {
  try {
    const table = tableFromSwagger(objectIn(parseYaml(document, { budget })[0]), base)
    const clusterScoped = new Set(table.clusterScoped)
    return {
      isClusterScoped: (apiVersion, kind) => clusterScoped.has(`${apiVersion}/${kind}`),
      typeOf: typesIn(table),
    }
  } catch (error) {
    throw wrapError('invalid schema file', error, { field: 'openapi.path' })
  }
}
