/**
 * Makes lib/engines/kustomize/schema/kubernetes-schema.json from the OpenAPI document that Kubernetes publishes:
 *
 *   go mod download -json k8s.io/kubernetes@v1.21.2     # says where: Dir
 *   node test/recorders/kubernetes-schema.ts Dir/api/openapi-spec/swagger.json
 *
 * 1.21.2 because kustomize v5 knows the merge keys and scopes of that release: a build must give the bytes it gives.
 * What a build has no use for (descriptions, types without lists that merge) is left out.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import {
  type FieldTable,
  type SchemaTable,
  type TypeTable,
  tableFromSwagger,
} from '../../lib/engines/kustomize/schema/swagger-table.ts'

/** Leaves only fields below which some list merges. */
const prune = (table: SchemaTable): SchemaTable => {
  const useful = new Map<number, boolean>()
  const isUseful = (type: number): boolean => {
    const known = useful.get(type)
    if (known !== undefined) return known
    if (type < 0) return false
    useful.set(type, false)
    const result = Object.values(table.types[type]!).some(([child, keys]) => keys || isUseful(child))
    useful.set(type, result)
    return result
  }
  // Twice: a first look at recursive types may have come too early.
  for (const _ of [1, 2]) for (let i = 0; i < table.types.length; i++) if (!useful.get(i)) useful.delete(i)
  for (let i = 0; i < table.types.length; i++) isUseful(i)

  const indexes = new Map<number, number>()
  const types: Record<string, FieldTable>[] = []
  const keep = (type: number): number => {
    if (!isUseful(type)) return -1
    const known = indexes.get(type)
    if (known !== undefined) return known
    const fields: Record<string, FieldTable> = {}
    const index = types.push(fields) - 1
    indexes.set(type, index)
    for (const [name, [child, keys, elements]] of Object.entries(table.types[type]!)) {
      if (keys) fields[name] = [keep(child), keys, keep(elements!)]
      else if (isUseful(child)) fields[name] = [keep(child)]
    }
    return index
  }
  const kinds: Record<string, number> = {}
  for (const [kind, type] of Object.entries(table.kinds).sort()) kinds[kind] = keep(type)
  const names: Record<string, number> = {}
  for (const [name, type] of Object.entries(table.names).sort()) if (isUseful(type)) names[name] = keep(type)
  return {
    ...table,
    names,
    clusterScoped: [...table.clusterScoped].sort(),
    namespaced: [...table.namespaced].sort(),
    kinds,
    types,
  }
}

const lines = ({ clusterScoped, namespaced, kinds, types, names }: SchemaTable): string =>
  [
    '{',
    `"clusterScoped": ${JSON.stringify(clusterScoped)},`,
    `"namespaced": ${JSON.stringify(namespaced)},`,
    `"kinds": ${JSON.stringify(kinds)},`,
    `"names": ${JSON.stringify(names)},`,
    `"types": [\n${types.map((type: TypeTable) => JSON.stringify(type)).join(',\n')}\n]`,
    '}\n',
  ].join('\n')

const [source] = process.argv.slice(2)
if (!source) throw new Error('give the path of swagger.json')
const table = tableFromSwagger(JSON.parse(readFileSync(source, 'utf8')))
writeFileSync(
  new URL('../../lib/engines/kustomize/schema/kubernetes-schema.json', import.meta.url),
  lines(prune(table)),
)
