/** Policy (audit.k8s.io): which requests are recorded, and how much of each, as in the file of kube-apiserver's `--audit-policy-file`. */
import { checkSubdomain } from '../../../foundations/kinds/names.ts'
import { type FieldError, invalid, required, unsupported } from '../../../foundations/kinds/schema/field-error.ts'
import { flag, list, object, optional, type TypeOf, text } from '../../../foundations/kinds/schema/schema.ts'
import type { Attributes, User } from '../authentication/caller.ts'
import {
  ConfigurationError,
  type ConfigurationKind,
  readConfiguration,
  requireNoFaults,
} from '../configuration/read-configuration.ts'

const levels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const
const stages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const

/** How much of a request is recorded. */
export type AuditLevel = (typeof levels)[number]
export type AuditStage = (typeof stages)[number]

const texts = (description: string) => optional(list(description, text('One of them.')))

const groupResources = object('Resources of a group.', {
  group: optional(text('The group; absent is the core group.')),
  resources: texts('Their plurals, with subresources behind a slash; absent are all.'),
  resourceNames: texts('Names of objects; absent are all.'),
})

const rule = object('Requests, and how much of them is recorded.', {
  level: optional(text('None, Metadata, Request or RequestResponse.')),
  users: texts('Names of users; absent are all.'),
  userGroups: texts('Groups of users; absent are all.'),
  verbs: texts('Verbs; absent are all.'),
  resources: optional(list('Resources; absent are all.', groupResources)),
  namespaces: texts('Namespaces; the empty name matches cluster-scoped resources.'),
  nonResourceURLs: texts('Other paths; a star at the end matches all below.'),
  omitStages: texts('Stages that are not recorded.'),
  omitManagedFields: optional(flag('Leave managedFields out.')),
})

const schema = object('What is recorded.', {
  metadata: optional(
    object('Metadata.', { name: optional(text('Its name.')) }, { 'x-kubernetes-preserve-unknown-fields': true }),
  ),
  rules: optional(list('The first matching rule decides.', rule)),
  omitStages: texts('Stages that are not recorded.'),
  omitManagedFields: optional(flag('Leave managedFields out.')),
})

type PolicyRule = TypeOf<typeof rule>
type Policy = TypeOf<typeof schema>

const policyKind: ConfigurationKind<Policy> = { group: 'audit.k8s.io', kind: 'Policy', versions: ['v1'], schema }

/** The decision of a policy on a request. */
export interface AuditOrder {
  readonly level: AuditLevel
  readonly omitStages: readonly AuditStage[]
  readonly omitManagedFields: boolean
}

/** A request before a rule is selected; without a user if its authentication failed. */
export type AuditedRequest = Omit<Attributes, 'user'> & { readonly user?: User | undefined }

export interface AuditPolicy {
  orderFor(request: AuditedRequest): AuditOrder
}

/** Parses such a file strictly: an ignored unknown field could exclude requests from the record. */
export const readAuditPolicy = (source: string): AuditPolicy => {
  const policy = readConfiguration(source, policyKind)
  if (!policy.rules?.length) throw new ConfigurationError('it has no rules, so nothing would be recorded')
  const faults: FieldError[] = []
  for (const [index, one] of policy.rules.entries()) checkRule(one, `rules[${index}]`, faults)
  for (const [index, stage] of (policy.omitStages ?? []).entries()) checkStage(stage, `omitStages[${index}]`, faults)
  requireNoFaults(faults)
  return auditPolicy(policy)
}

const auditPolicy = ({ rules = [], omitStages = [], omitManagedFields = false }: Policy): AuditPolicy => ({
  orderFor: request => {
    const found = rules.find(one => matches(one, request))
    return {
      level: (found?.level ?? 'None') as AuditLevel,
      omitStages: [...omitStages, ...(found?.omitStages ?? [])] as AuditStage[],
      omitManagedFields: found?.omitManagedFields ?? omitManagedFields,
    }
  },
})

const checkRule = (
  { level = '', nonResourceURLs, resources, namespaces, omitStages }: PolicyRule,
  path: string,
  faults: FieldError[],
): void => {
  if (!level) faults.push(required(`${path}.level`))
  else if (!levels.some(known => known === level)) faults.push(unsupported(`${path}.level`, level, levels))
  for (const [index, url] of (nonResourceURLs ?? []).entries())
    checkUrl(url, `${path}.nonResourceURLs[${index}]`, faults)
  for (const { group = '', resources: plurals, resourceNames } of resources ?? []) {
    if (group)
      for (const problem of checkSubdomain(group)) faults.push(invalid(`${path}.resources.group`, group, problem))
    if (resourceNames?.length && !plurals?.length)
      faults.push(
        invalid(`${path}.resources.resourceNames`, resourceNames, 'using resourceNames requires at least one resource'),
      )
  }
  for (const [index, stage] of (omitStages ?? []).entries()) checkStage(stage, `${path}.omitStages[${index}]`, faults)
  if (nonResourceURLs?.length && (resources?.length || namespaces?.length))
    faults.push(
      invalid(
        `${path}.nonResourceURLs`,
        nonResourceURLs,
        'rules cannot apply to both regular resources and non-resource URLs',
      ),
    )
}

const checkUrl = (url: string, field: string, faults: FieldError[]): void => {
  if (url === '*') return
  if (!url.startsWith('/')) faults.push(invalid(field, url, "non-resource URL rules must begin with a '/' character"))
  if (url.slice(0, -1).includes('*'))
    faults.push(invalid(field, url, "non-resource URL wildcards '*' must be the final character of the rule"))
}

const checkStage = (stage: string, field: string, faults: FieldError[]): void => {
  if (!stages.some(known => known === stage))
    faults.push(invalid(field, stage, `allowed stages are ${stages.join(',')}`))
}

const matches = (
  { users, userGroups, verbs, resources, namespaces, nonResourceURLs }: PolicyRule,
  { user, verb, path, resource }: AuditedRequest,
): boolean => {
  if (users?.length && !users.includes(user?.name ?? '')) return false
  if (userGroups?.length && !user?.groups.some(group => userGroups.includes(group))) return false
  if (verbs?.length && !verbs.includes(verb)) return false
  if (namespaces?.length || resources?.length) {
    if (!resource || (namespaces?.length && !namespaces.includes(resource.namespace))) return false
    return !resources?.length || resources.some(one => matchesResource(one, resource))
  }
  return !nonResourceURLs?.length || (!resource && nonResourceURLs.some(spec => matchesPath(spec, path)))
}

const matchesPath = (spec: string, path: string): boolean =>
  spec === '*' || spec === path || (spec.endsWith('*') && path.startsWith(spec.slice(0, -1)))

const matchesResource = (
  { group = '', resources, resourceNames }: NonNullable<PolicyRule['resources']>[number],
  wanted: NonNullable<Attributes['resource']>,
): boolean => {
  if (group !== wanted.group) return false
  if (!resources?.length) return true
  if (resourceNames?.length && !resourceNames.includes(wanted.name)) return false
  const { resource, subresource } = wanted
  const combined = subresource ? `${resource}/${subresource}` : resource
  return resources.some(
    given =>
      given === '*' || given === combined || (subresource && given === `*/${subresource}`) || given === `${resource}/*`,
  )
}
