/** Records the schemas a kube-apiserver publishes for its own kinds, without descriptions: `KUBECONFIG=... node test/recorders/core-schemas.ts`. */
import { writeFileSync } from 'node:fs'
import { kubeApiserver } from './kube-apiserver.ts'

type Json = Readonly<Record<string, unknown>>

const ask = kubeApiserver()
const roots = ['api/v1', 'apis/rbac.authorization.k8s.io/v1', 'apis/apiextensions.k8s.io/v1']
const documents = await Promise.all(roots.map(root => ask('GET', `/openapi/v3/${root}`)))
const schemas: Readonly<Record<string, Json>> = Object.assign(
  {},
  ...documents.map(({ body }) => body.components.schemas),
)

const extensions = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1'
/** Schemas of schemas have no end. */
const anything = `#/components/schemas/${extensions}.JSONSchemaProps`

/** With references resolved, and without what says nothing about fields. */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  const {
    description,
    default: _,
    'x-kubernetes-group-version-kind': gvk,
    allOf,
    $ref,
    ...rest
  } = value as Record<string, unknown>
  const target = ($ref ?? (allOf as { $ref?: string }[] | undefined)?.[0]?.$ref) as string | undefined
  if (target === anything) return {}
  if (target)
    return { ...(plain(rest) as object), ...(plain(schemas[target.slice(target.lastIndexOf('/') + 1)]) as object) }
  return Object.fromEntries(
    Object.entries(value as object)
      .filter(
        ([name, inner]) =>
          !['default', 'x-kubernetes-group-version-kind'].includes(name) &&
          !(name === 'description' && typeof inner === 'string'),
      )
      .map(([name, inner]) => [name, plain(inner)]),
  )
}

const recorded = Object.fromEntries(
  [
    ...['Namespace', 'Secret', 'ConfigMap', 'ServiceAccount', 'ResourceQuota', 'Event'].map(kind => `core.v1.${kind}`),
    ...['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding'].map(kind => `rbac.v1.${kind}`),
  ]
    .map(name => `io.k8s.api.${name}`)
    .concat(`${extensions}.CustomResourceDefinition`)
    .map(name => [name.split('.').at(-1), plain(schemas[name])]),
)
writeFileSync(
  new URL('../unit/foundations/kinds/core-schemas.recorded.json', import.meta.url),
  `${JSON.stringify(recorded, null, 1)}\n`,
)
await ask.close()
