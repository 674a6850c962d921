/** Whether a rule of a role allows an action, as in Kubernetes' RBAC. Pure. */
import type { PolicyRule } from '../../foundations/kinds/policy-rule.ts'
import type { Attributes, ResourceAttributes } from './access.ts'

/** Whether a rule allows a request for a resource or for another path, as Kubernetes' RBAC matches them. */
export const allows = (rule: PolicyRule, { verb, path, resource }: Attributes): boolean => {
  if (!includes(rule.verbs, verb)) return false
  return resource ? coversResource(rule, resource) : coversPath(rule.nonResourceURLs, path)
}

const includes = (list: readonly string[] | undefined, item: string): boolean =>
  list !== undefined && (list.includes('*') || list.includes(item))

const coversResource = (rule: PolicyRule, { group, resource, subresource, name }: ResourceAttributes): boolean => {
  const { resourceNames = [] } = rule
  return (
    includes(rule.apiGroups, group) &&
    coversPlural(rule.resources, subresource ? `${resource}/${subresource}` : resource) &&
    (resourceNames.length === 0 || resourceNames.includes(name))
  )
}

/** A subresource only matches by its own name, as `*`, or as a wildcard followed by the subresource. */
export const coversPlural = (resources: readonly string[] | undefined, wanted: string): boolean => {
  if (includes(resources, wanted)) return true
  const slash = wanted.indexOf('/')
  return slash >= 0 && resources !== undefined && resources.includes(`*${wanted.slice(slash)}`)
}

/** Whether one of the paths is the wanted one, or ends in `*` and begins it. */
export const coversPath = (paths: readonly string[] = [], wanted: string): boolean =>
  paths.some(path => path === wanted || (path.endsWith('*') && wanted.startsWith(path.slice(0, -1))))
