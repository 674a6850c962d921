/** ResourceSetInputProvider: exports sets of inputs from an external source, such as the branches of a repository. */

import { ageColumn, duration, localReference, readyColumns, reconciledStatus } from './flux.ts'
import { operatorDuration, operatorGroup, selectorFields } from './flux-operator.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { fleetGroup, sourceGroup } from './references.ts'
import { inputSet } from './resource-set.ts'
import type { TypeOf, ValidationRule } from './schema/schema.ts'
import { flag, integer, list, map, object, oneOf, optional, text } from './schema/schema.ts'

/** Keelson's own: `Clusters` are those of its namespace, and kubeconfig Secrets there; `ClusterObject` is an object on each Cluster. */
const types = [
  ...(['Static', 'GitHubBranch', 'GitHubTag', 'GitHubPullRequest'] as const),
  ...(['GitLabBranch', 'GitLabTag', 'GitLabMergeRequest', 'GitLabEnvironment'] as const),
  ...(['AzureDevOpsBranch', 'AzureDevOpsTag', 'AzureDevOpsPullRequest'] as const),
  ...(['AWSCodeCommitBranch', 'AWSCodeCommitTag', 'AWSCodeCommitPullRequest'] as const),
  ...(['GiteaBranch', 'GiteaTag', 'GiteaPullRequest'] as const),
  ...(['OCIArtifactTag', 'ACRArtifactTag', 'ECRArtifactTag', 'GARArtifactTag'] as const),
  ...(['ExternalService', 'ExternalArtifact', 'Clusters', 'ClusterObject'] as const),
] as const

const typesLike = (pattern: RegExp): readonly string[] => types.filter(type => pattern.test(type))
const gitTypes = typesLike(/^(Git|AzureDevOps)/)
const codeCommit = typesLike(/^AWSCodeCommit/)
const ociTypes = typesLike(/ArtifactTag$/)
const cloudTypes = typesLike(/^(AWS|ACR|ECR|GAR)/)
const azureDevOps = typesLike(/^AzureDevOps/)
const inCluster = ['ExternalArtifact', 'Clusters', 'ClusterObject']

const typeIn = (...names: readonly string[]) => `self.type in [${names.map(name => `'${name}'`).join(', ')}]`

const rules: readonly ValidationRule[] = [
  { message: "spec.url must be empty when spec.type is 'Static'", rule: "self.type != 'Static' || !has(self.url)" },
  {
    message: "spec.url must be empty when spec.type is 'ExternalArtifact' or 'Clusters'",
    rule: `!(${typeIn(...inCluster)}) || !has(self.url)`,
  },
  {
    message: "spec.url must not be empty when spec.type is not 'Static' or 'ExternalArtifact'",
    rule: `${typeIn('Static', ...inCluster)} || has(self.url)`,
  },
  {
    message: "spec.url must start with 'http://' or 'https://' when spec.type is a Git provider",
    rule: `!(${typeIn(...gitTypes)}) || self.url.startsWith('http://') || self.url.startsWith('https://')`,
  },
  {
    message: "spec.url must start with 'https://' when spec.type is a AWSCodeCommit provider",
    rule: `!(${typeIn(...codeCommit)}) || self.url.startsWith('https://')`,
  },
  {
    message: "spec.url must start with 'oci://' when spec.type is an OCI provider",
    rule: `!(${typeIn(...ociTypes)}) || self.url.startsWith('oci://')`,
  },
  {
    message: "spec.url must start with 'https://' when spec.type is 'ExternalService', or 'http://' with spec.insecure",
    rule: "self.type != 'ExternalService' || self.url.startsWith('https://') || (self.url.startsWith('http://') && has(self.insecure) && self.insecure)",
  },
  {
    message: "spec.insecure can only be set when spec.type is 'ExternalService' or 'OCIArtifactTag'",
    rule: `!has(self.insecure) || !self.insecure || ${typeIn('ExternalService', 'OCIArtifactTag')}`,
  },
  {
    message: 'spec.secretRef is not supported for this spec.type',
    rule: `!has(self.secretRef) || !(${typeIn('Static', ...inCluster, ...cloudTypes)})`,
  },
  {
    message: 'spec.certSecretRef is not supported for this spec.type',
    rule: `!has(self.certSecretRef) || !(${typeIn('Static', ...inCluster, ...azureDevOps, ...cloudTypes)})`,
  },
  {
    message: 'spec.serviceAccountName is not supported for this spec.type',
    rule: `!has(self.serviceAccountName) || ${typeIn(...inCluster, 'OCIArtifactTag', ...azureDevOps, ...cloudTypes)}`,
  },
  {
    message: "spec.selectors must be set when spec.type is 'ExternalArtifact'",
    rule: "self.type != 'ExternalArtifact' || has(self.selectors)",
  },
  {
    message: "spec.selectors can only be set when spec.type is 'ExternalArtifact' or 'Clusters'",
    rule: `!has(self.selectors) || ${typeIn(...inCluster)}`,
  },
  {
    message: "kind in spec.selectors can only be set when spec.type is 'Clusters'",
    rule: "self.type == 'Clusters' || !has(self.selectors) || self.selectors.all(s, !has(s.kind))",
  },
  {
    message: "spec.clusterObject must be set when spec.type is 'ClusterObject', and only then",
    rule: "has(self.clusterObject) == (self.type == 'ClusterObject')",
  },
]

const schedule = object('A schedule of the provider.', {
  cron: text('Cron expression with five fields.'),
  timeZone: optional(text('Time zone of the cron fields, as in `Europe/London`.', { default: 'UTC' })),
  window: optional(
    duration('How long the provider may run from then on. Zero means only at that time.', { default: '0s' }),
  ),
})

const pattern = (what: string) => optional(text(`Regular expression (RE2) of ${what}.`))

const filter = object('The exported inputs.', {
  limit: optional(integer('Maximum number of sets. Defaults to 100.', { minimum: 1, maximum: 10_000 })),
  labels: optional(list('Labels that a change request must have, all of them.', text('A label.'))),
  includeBranch: pattern('the branches to export'),
  excludeBranch: pattern('branches to exclude'),
  includeTag: pattern('the tags to export'),
  excludeTag: pattern('tags to exclude'),
  includeEnvironment: pattern('the environments to export'),
  excludeEnvironment: pattern('environments to exclude'),
  semver: optional(text('Range of versions to export, the newest first.')),
})

const skip = object('When a change request keeps its current inputs.', {
  labels: optional(list('Labels that must be present, or with a leading `!` absent.', text('A label.'))),
})

const selector = object(
  'Objects to export.',
  {
    kind: optional(
      oneOf('For Clusters: kind of the objects that represent clusters. Defaults to Cluster and Secret.', [
        ...(['Cluster', 'Secret', 'ClusterProfile', 'PlacementDecision'] as const),
      ]),
    ),
    name: optional(text('Name of the object.')),
    namespace: optional(text('Namespace to select from, `*` for all. Defaults to the namespace of the provider.')),
    ...selectorFields,
  },
  {
    'x-kubernetes-validations': [
      {
        message: 'name is mutually exclusive with matchLabels and matchExpressions',
        rule: '!has(self.name) || (!has(self.matchLabels) && !has(self.matchExpressions))',
      },
    ],
  },
)

const clusterObject = object(
  'The object to read on each of the selected Clusters, and what of it to export.',
  {
    apiVersion: text('API version of the object.', { minLength: 1 }),
    kind: text('Kind of the object.', { minLength: 1 }),
    name: text('Name of the object.', { minLength: 1 }),
    namespace: optional(text('Namespace of the object on the cluster.')),
    fields: map('Inputs by name: CEL expressions over `self`.', text('A CEL expression.')),
  },
  {
    'x-kubernetes-validations': [
      { message: 'Secrets are not read: inputs are shown in the status', rule: "self.kind != 'Secret'" },
    ],
  },
)

const spec = object(
  'Source of inputs, and what to export.',
  {
    type: oneOf('Type of the source.', types),
    url: optional(text('Address of the repository or service.')),
    insecure: optional(flag('Allow requests without TLS.')),
    serviceAccountName: optional(text('ServiceAccount whose identity to use.')),
    secretRef: optional(localReference('Secret with the credentials.')),
    certSecretRef: optional(localReference('Secret with ca.crt, and tls.crt and tls.key.')),
    schedule: optional(list('Schedules of the provider. Defaults to every interval.', schedule)),
    defaultValues: optional(inputSet),
    filter: optional(filter),
    skip: optional(skip),
    selectors: optional(list('Objects of the hub, for ExternalArtifact, Clusters and ClusterObject.', selector)),
    clusterObject: optional(clusterObject),
  },
  { 'x-kubernetes-validations': rules },
)

const nextSchedule = object('The next run.', {
  ...schedule.properties!,
  when: text('The time.', { format: 'date-time' }),
} as const)

const status = object('The result of the last poll.', {
  conditions: reconciledStatus.conditions,
  lastHandledReconcileAt: reconciledStatus.lastHandledReconcileAt,
  lastHandledForceAt: optional(text('Last handled value of the annotation reconcile.fluxcd.io/forceAt.')),
  exportedInputs: optional(list('The sets of inputs.', inputSet)),
  lastExportedRevision: optional(text('Digest of the sets of inputs.')),
  nextSchedule: optional(nextSchedule),
})

const schema = object('Exports sets of inputs from an external source.', { spec, status: optional(status) })

export type ResourceSetInputProvider = KubernetesObject & TypeOf<typeof schema>
export type InputProviderSpec = TypeOf<typeof spec>
export type InputProviderType = InputProviderSpec['type']
export type InputFilter = TypeOf<typeof filter>
export type InputSelector = TypeOf<typeof selector>
export type ProviderSchedule = TypeOf<typeof schedule>

export const resourceSetInputProvider: Kind<ResourceSetInputProvider> = {
  group: operatorGroup,
  kind: 'ResourceSetInputProvider',
  plural: 'resourcesetinputproviders',
  singular: 'resourcesetinputprovider',
  shortNames: ['rsip'],
  categories: ['all', 'fluxcd'],
  namespaced: true,
  hasGeneration: true,
  references: ({ spec }, find) => [
    find.secret(spec?.secretRef),
    find.secret(spec?.certSecretRef),
    find.serviceAccount(spec?.serviceAccountName),
    spec?.type === 'Clusters' ? [...find.any('', 'Secret'), ...find.any(fleetGroup, 'Cluster')] : [],
    spec?.type === 'ClusterObject' ? find.any(fleetGroup, 'Cluster') : [],
    spec?.type === 'ExternalArtifact' ? find.any(sourceGroup, 'ExternalArtifact') : [],
  ],
  versions: [{ name: 'v1', storage: true, status: true, schema, columns: [ageColumn, ...readyColumns] }],
}

/** Milliseconds between two polls (RS-150). */
export const intervalOf = (object: ResourceSetInputProvider): number =>
  operatorDuration(object, 'reconcileEvery', 10 * 60_000)

/** Timeout of one poll, in milliseconds. */
export const timeoutOf = (object: ResourceSetInputProvider): number =>
  operatorDuration(object, 'reconcileTimeout', 2 * 60_000)
