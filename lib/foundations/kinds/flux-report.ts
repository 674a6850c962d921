/** FluxReport of flux-operator: the state of an installation of Flux, which a hub computes when it is read. */
import { ageColumn, readyColumns, reconciledStatus } from './flux.ts'
import { operatorGroup } from './flux-operator.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import type { TypeOf } from './schema/schema.ts'
import { flag, integer, list, object, optional, text } from './schema/schema.ts'

const component = object('A part of the hub.', {
  name: text('Name of the controller that it corresponds to.'),
  image: text('Name and version of the part.'),
  ready: flag('Whether the part is ready.'),
  status: text('State of the part.'),
})

const reconciler = object('The objects of a kind.', {
  apiVersion: text('API version of the kind.'),
  kind: text('The kind.'),
  stats: object('Numbers of objects. Each is counted once.', {
    failing: integer('Number of objects that are not ready.'),
    running: integer('Number of all other objects.'),
    suspended: integer('Number of suspended objects.'),
    totalSize: optional(text('Size of the artifacts.')),
  }),
})

const schema = object('The state of an installation of Flux.', {
  spec: object('The observed state.', {
    cluster: object('The API server.', {
      serverVersion: text('Version of the API.'),
      platform: text('Platform of the API server.'),
    }),
    operator: object('The program that reports.', {
      apiVersion: text('API version of its kinds.'),
      version: text('Version of the program.'),
      platform: text('Platform of the program.'),
    }),
    distribution: object('The distribution of Flux.', {
      entitlement: text('Issuer of the entitlement.'),
      managedBy: text('The program that manages the installation.'),
      status: text('State of the installation.'),
      version: text('Version of Flux.'),
    }),
    components: list('The controllers.', component),
    reconcilers: list('The reconciled kinds.', reconciler),
    sync: optional(
      object('The source that the hub reconciles itself from.', {
        id: text('Kustomization of the source, as `kustomization/<name>`.'),
        path: optional(text('Folder of the source.')),
        ready: flag('Whether source and Kustomization are ready.'),
        source: text('URL of the source.'),
        status: text('Message of the source or the Kustomization.'),
      }),
    ),
  }),
  status: object('The state of the report.', { conditions: reconciledStatus.conditions }),
})

export type FluxReport = KubernetesObject & TypeOf<typeof schema>

export const fluxReport: Kind<FluxReport> = {
  group: operatorGroup,
  kind: 'FluxReport',
  plural: 'fluxreports',
  singular: 'fluxreport',
  shortNames: [],
  categories: ['all', 'fluxcd'],
  namespaced: true,
  hasGeneration: false,
  readOnly: true,
  isUnwatched: true,
  versions: [
    {
      name: 'v1',
      storage: true,
      schema,
      columns: [
        { name: 'Entitlement', type: 'string', jsonPath: '.spec.distribution.entitlement', priority: 10 },
        ageColumn,
        ...readyColumns,
      ],
    },
  ],
}
