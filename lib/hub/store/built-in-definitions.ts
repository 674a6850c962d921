/** The built-in kinds as CustomResourceDefinitions, for clients that detect Flux by those. Pure. */
import type { CustomResourceDefinition } from '../../foundations/kinds/custom-resource-definition.ts'
import { apiextensions } from '../../foundations/kinds/custom-resource-definition.ts'
import type { Kind, KindVersion } from '../../foundations/kinds/kind.ts'

/** The release of Flux that defines these kinds, which the flux CLI reads from their labels. */
export const fluxVersion = 'v2.9.4'

export const builtInLabel = 'keelson.dev/built-in'

/** By group, or by kind where a group has several. */
const components: Readonly<Record<string, string>> = {
  'source.toolkit.fluxcd.io': 'source-controller',
  'source.extensions.fluxcd.io': 'source-watcher',
  'kustomize.toolkit.fluxcd.io': 'kustomize-controller',
  'helm.toolkit.fluxcd.io': 'helm-controller',
  'notification.toolkit.fluxcd.io': 'notification-controller',
  'image.toolkit.fluxcd.io': 'image-reflector-controller',
  ImageUpdateAutomation: 'image-automation-controller',
  'fluxcd.controlplane.io': 'flux-operator',
}

/** Flux marks these definitions so that builds do not substitute the `${...}` in their descriptions. */
const unsubstituted: readonly string[] = [
  'kustomize.toolkit.fluxcd.io',
  'helm.toolkit.fluxcd.io',
  'notification.toolkit.fluxcd.io',
]

/**
 * A definition of each kind that isn't Kubernetes' own, with the labels by which the flux CLI recognizes its
 * controllers.
 */
export const builtInDefinitions = (kinds: readonly Kind[]): readonly CustomResourceDefinition[] =>
  kinds.filter(({ native }) => !native).map(definitionOf)

const definitionOf = (kind: Kind): CustomResourceDefinition => ({
  apiVersion: `${apiextensions}/v1`,
  kind: 'CustomResourceDefinition',
  metadata: {
    name: `${kind.plural}.${kind.group}`,
    labels: { ...fluxLabels(components[kind.kind] ?? components[kind.group]), [builtInLabel]: 'true' },
    ...(unsubstituted.includes(kind.group) && {
      annotations: { 'kustomize.toolkit.fluxcd.io/substitute': 'disabled' },
    }),
  },
  spec: {
    group: kind.group,
    names: {
      plural: kind.plural,
      singular: kind.singular,
      kind: kind.kind,
      listKind: `${kind.kind}List`,
      ...(kind.shortNames.length > 0 && { shortNames: kind.shortNames }),
      ...(kind.categories.length > 0 && { categories: kind.categories }),
    },
    scope: kind.namespaced ? 'Namespaced' : 'Cluster',
    versions: kind.versions.map(definedVersion),
    conversion: { strategy: 'None' },
  },
})

/** As Flux's install labels the definitions of its components. */
const fluxLabels = (component: string | undefined): Readonly<Record<string, string>> =>
  component === undefined
    ? {}
    : {
        'app.kubernetes.io/component': component,
        'app.kubernetes.io/instance': 'flux-system',
        'app.kubernetes.io/part-of': 'flux',
        'app.kubernetes.io/version': fluxVersion,
      }

const definedVersion = (version: KindVersion): CustomResourceDefinition['spec']['versions'][number] => {
  const { name, storage, deprecated, schema, columns, status } = version
  return {
    name,
    served: version.served !== false,
    storage,
    ...(deprecated && { deprecated: true, deprecationWarning: deprecated }),
    schema: {
      openAPIV3Schema: {
        ...schema,
        properties: {
          apiVersion: { type: 'string' },
          kind: { type: 'string' },
          metadata: { type: 'object' },
          ...schema.properties,
        },
      },
    },
    additionalPrinterColumns: columns.flatMap(column => ('jsonPath' in column ? [column] : [])),
    ...(status && { subresources: { status: {} } }),
  }
}
