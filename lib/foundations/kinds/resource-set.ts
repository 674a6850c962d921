/** ResourceSet: renders templates once per set of inputs, and keeps the result applied. */

import { commonMetadata, inventory, snapshot } from './applied.ts'
import { checkDependsOn, dependencyRefs } from './depends-on.ts'
import { ageColumn, duration, readyColumns, reconciledStatus } from './flux.ts'
import { labelSelector, operatorDuration, operatorGroup, providerReferenceKind } from './flux-operator.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import type { Found, Unchecked } from './references.ts'
import type { Schema, TypeOf } from './schema/schema.ts'
import { anyObject, flag, list, object, oneOf, optional, text } from './schema/schema.ts'
import { kubeConfigAnnotation, parseKubeConfig } from './target-reference.ts'

/** Values of any type by name, which templates find under `inputs`. */
export const inputSet: Schema<Readonly<Record<string, unknown>>> = {
  type: 'object',
  description: 'One set of inputs: values of any type by name.',
  additionalProperties: { 'x-kubernetes-preserve-unknown-fields': true },
}

const inputStrategy = object(
  'How the sets of several providers are combined.',
  {
    name: oneOf('Flatten concatenates the sets, Permute combines each with each.', ['Flatten', 'Permute']),
    includeEmptyProviders: optional(
      flag('For Permute: if a provider exports no sets, there are no combinations, instead of ignoring that provider.'),
    ),
  },
  {
    'x-kubernetes-validations': [
      {
        message: 'includeEmptyProviders only applies when name is Permute',
        rule: "!has(self.includeEmptyProviders) || !self.includeEmptyProviders || self.name == 'Permute'",
      },
    ],
  },
)

const inputsReference = object(
  'Providers in the same namespace whose inputs are used.',
  {
    ...providerReferenceKind,
    name: optional(text('Name of the provider.')),
    selector: optional(labelSelector('Labels of the providers.')),
  },
  {
    'x-kubernetes-validations': [
      {
        message: 'at least one of name or selector must be set for input provider references',
        rule: 'has(self.name) || has(self.selector)',
      },
      {
        message: 'cannot set both name and selector for input provider references',
        rule: '!has(self.name) || !has(self.selector)',
      },
    ],
  },
)

const templates = {
  resources: optional(
    list('Templates of objects, each rendered once for each set of inputs.', anyObject('A template of an object.')),
  ),
  resourcesTemplate: optional(text('A template of any number of objects, as YAML documents.')),
}

const step = object('Objects that are applied together, and must be healthy before the next step.', {
  name: text('Name of the step.', { minLength: 1, maxLength: 63, pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$' }),
  ...templates,
  timeout: optional(duration('Timeout of the health checks of the step.')),
})

const dependency = object('An object that must exist first.', {
  apiVersion: text('API version of the object.'),
  kind: text('Kind of the object.'),
  name: text('Name of the object.'),
  namespace: optional(text('Namespace of the object.')),
  ready: optional(flag('Whether it must also be ready.')),
  readyExpr: optional(text('CEL expression over its fields that is true if it is ready, for `ready`.')),
})

const spec = object(
  'Templates and inputs.',
  {
    commonMetadata: optional(commonMetadata),
    inputs: optional(list('Sets of inputs.', inputSet)),
    inputStrategy: optional(inputStrategy),
    inputsFrom: optional(list('Input providers with further sets of inputs.', inputsReference)),
    ...templates,
    steps: optional(
      list('Templates in steps, instead of `resources` and `resourcesTemplate`.', step, {
        minItems: 1,
        maxItems: 20,
        'x-kubernetes-validations': [
          {
            message: 'step names must be unique',
            rule: 'self.all(one, self.exists_one(other, other.name == one.name))',
          },
        ],
      }),
    ),
    dependsOn: optional(list('Objects that must exist first.', dependency)),
    serviceAccountName: optional(text('ServiceAccount to act as.')),
    wait: optional(flag('Wait until all objects are healthy.')),
  },
  {
    'x-kubernetes-validations': [
      {
        message: 'at least one of steps, resources or resourcesTemplate must be set',
        rule: 'has(self.steps) || has(self.resources) || has(self.resourcesTemplate)',
      },
      {
        message: 'steps is mutually exclusive with resources and resourcesTemplate',
        rule: '!has(self.steps) || (!has(self.resources) && !has(self.resourcesTemplate))',
      },
    ],
  },
)

const status = object('The result of the last reconciliation.', {
  conditions: reconciledStatus.conditions,
  lastHandledReconcileAt: reconciledStatus.lastHandledReconcileAt,
  inventory: optional(inventory),
  lastAppliedRevision: optional(text('Digest of the last applied objects.')),
  history: optional(list('History of reconciliations.', snapshot)),
  /** Keelson's own field: lets the hub detect changes of the ones that are watched. */
  dataSources: optional(
    list('ConfigMaps and Secrets that provide data, as `Kind/namespace/name`.', text('One of them.')),
  ),
})

const schema = object('Renders templates once for each set of inputs, and keeps the result applied.', {
  spec,
  status: optional(status),
})

export type InputSet = TypeOf<typeof inputSet>
export type ResourceSet = KubernetesObject & TypeOf<typeof schema>
export type ResourceSetSpec = TypeOf<typeof spec>
export type ResourceSetStep = TypeOf<typeof step>
export type ResourceSetDependency = TypeOf<typeof dependency>

export const resourceSet: Kind<ResourceSet> = {
  group: operatorGroup,
  kind: 'ResourceSet',
  plural: 'resourcesets',
  singular: 'resourceset',
  shortNames: ['rset'],
  categories: ['all', 'fluxcd'],
  namespaced: true,
  hasGeneration: true,
  check: checkDependsOn,
  references: ({ spec, status, metadata }, find) => [
    find.serviceAccount(spec?.serviceAccountName),
    ...(spec?.inputsFrom ?? []).map(({ selector }) =>
      selector ? find.any(operatorGroup, 'ResourceSetInputProvider') : [],
    ),
    ...(spec?.inputsFrom ?? []).map(from =>
      find.object(from, { group: operatorGroup, kind: 'ResourceSetInputProvider' }),
    ),
    ...(spec?.dependsOn ?? []).map(to => find.object(to, { group: '' })),
    ...(status?.dataSources ?? []).map(dataSourceRef),
    dependencyRefs({ metadata }),
    accessRef({ metadata }),
  ],
  versions: [{ name: 'v1', storage: true, status: true, schema, columns: [ageColumn, ...readyColumns] }],
}

/** Milliseconds between two reconciliations (RS-094). */
export const intervalOf = (object: ResourceSet): number => operatorDuration(object, 'reconcileEvery', 60 * 60_000)

/** Milliseconds for health checks (RS-095). */
export const timeoutOf = (object: ResourceSet): number => operatorDuration(object, 'reconcileTimeout', 5 * 60_000)

/** The Secret or ConfigMap with the access to the cluster that the set applies to. */
const accessRef = ({ metadata }: Unchecked<Pick<ResourceSet, 'metadata'>>): Found => {
  const named = parseKubeConfig(metadata?.annotations?.[kubeConfigAnnotation] ?? '')
  return named ? [{ group: '', kind: named.kind, namespace: metadata?.namespace ?? '', name: named.name }] : []
}

/** The ref of a data source, `<kind>/<namespace>/<name>`. */
const dataSourceRef = (source: string): Found => {
  const [kind = '', namespace = '', name = ''] = source.split('/')
  return [{ group: '', kind, namespace, name }]
}
